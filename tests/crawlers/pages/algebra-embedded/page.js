document.write( "<B>Question 900002</B>: Two trains are 300 miles apart.\r\n" );
document.write( "How long until they meet at 70 and 80 mph?<BR>\r\n" );
document.write( "Algebra.Com\'s Answer #700020 by <A HREF=\"https://www.algebra.com/tutors/aboutme.mpl?userid=speedy\">speedy(9)</A>  \n" );
document.write( "You can <A HREF=\"https://www.algebra.com/cgi-bin/embed-solution.mpl?solution=700020\">put this solution on YOUR website</A>!<BR>\n" );
document.write( "<IMG SRC=\"https://www.algebra.com/cgi-bin/plot-formula.mpl?expression=%2870%2B80%29t=300&x=0003\"><BR>\n" );
document.write( 'so t = 2 \"hours\"' );
