"""Word lists of the normaliser profiles. They are part of a profile: changing one changes every figure made with it."""

_STOP_WORDS = """
i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves he him his
himself she she's her hers herself it it's its itself they them their theirs themselves what which who whom this
that that'll these those am is are was were be been being have has had having do does did doing a an the and but
if or because as until while of at by for with about against between into through during before after above below
to from up down in out on off over under again further then once here there when where why how all any both each
few more most other some such no nor not only own same so than too very s t can will just don don't should
should've now d ll m o re ve y ain aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't
haven haven't isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't wasn wasn't
weren weren't won won't wouldn wouldn't
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""The 179 English stop words in general use (Porter and others, as distributed with NLTK until 2024)."""

_NUMBER_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion
"""
NUMBER_WORDS = frozenset(_NUMBER_WORDS.split())
"""Cardinals that are masked like digits; ordinals, fractions and ``dozen`` carry meaning of their own and stay."""

_GIVEN_NAMES = """
aaron abby abe abigail ada adam adrian agnes ahmed aidan aiden alan albert alec alejandro alex alexa alexander
alexandra alexis alfred ali alice alicia alison allen allison alma alyssa amanda amber amelia amir amy ana andre
andrea andrew andy angela angelina anita ann anna anne annie anthony antonio anya ariana arjun arnold arthur ashley
audrey austin ava barbara barry becky ben benjamin bernard beth betty beverly billy blake bob bobby bonnie brad
bradley brandon brenda brendan brent brett brian bridget brittany brooke bruce bryan bryce caleb calvin cameron camila
carl carla carlo carlos carmen carol caroline carolyn carrie casey catherine cathy cecilia charles charlie charlotte
chelsea chen cheryl chloe chris christian christina christine christopher cindy claire clara clarence clarissa claudia
cody colin connie connor corey craig cristina crystal curtis cynthia daisy dale damian dan dana daniel danielle danny
darius darlene darren daryl dave david deanna debbie deborah debra denise dennis derek derrick diana diane diego
dolores dominic don donald donna doris dorothy doug douglas duane dustin dwayne dylan earl ed eddie edgar edith edward
edwin eileen elaine eleanor elena eli elias elijah elizabeth ella ellen elliot elmer elsie emilia emily emma eric
erica erik erin ernest esteban esther ethan eugene eva evan evelyn ezra fatima faye felix fernando fiona florence
floyd frances francesca francis francisco frank franklin fred frederick gabe gabriel gabriela gabrielle gail gary
gavin geoffrey george georgia gerald gilbert gina gladys glenn gloria gordon greg gregory gus gwen hal hank hannah
hans harold harriet harry harvey heather hector heidi helen henry herbert hilda holly howard hugo ian ibrahim ida
imran ines ingrid irene irma isaac isabel isabella isaiah ivan jackie jackson jacob jacqueline jada jade jaime jake
jamal james jamie jan jane janet janice jared jason javier jayden jean jeanne jeff jeffrey jenna jennifer jenny
jeremiah jeremy jerome jerry jesse jessica jessie jill jillian jim jimmy jo joan joann joanna joanne jodi jody joe
joel joey johanna john johnny jon jonah jonathan jordan jorge jose joseph josh joshua josie joyce juan juanita judith
judy julia julian juliana julie juliet julio justin kai kaitlyn kara karen kari karl kate katelyn katherine kathleen
kathryn kathy katie katrina kayla keith kelly kelsey ken kendra kenneth kenny kevin kimberly kira kirk krista kristen
kristin kristina kurt kyla kyle lakshmi lamar larry laura lauren laurie lawrence leah leila lena leo leon leonard
leroy leslie lewis liam lillian linda lindsay lindsey lisa liz liza logan lois lola lonnie lorenzo lori lorraine louis
louise luca lucas lucia lucy luis luke luz lydia lynn mabel mackenzie maddie madeline madison mae maggie malik mandy
manny manuel marcia marcus marcy margaret margie margo maria mariah marian marie marilyn mario marion marissa marjorie
marlene marsha martha martin marvin mary mason mateo matt matthew maureen maurice megan mei melanie melinda melissa
melvin mia michael michaela michele michelle miguel mike mila mildred milton mindy miranda mitch mitchell mohammed
molly mona monica morgan muhammad myra nadia nancy naomi natalia natalie natasha nate nathan nathaniel ned neil nell
nelson nicholas nick nicole nikki nina noah nora norma norman oliver olivia ollie omar oscar otis owen pablo paige pam
pamela patricia patrick paul paula pauline pedro peggy penelope percy perry peter phil philip phillip phyllis priya
quentin quinn rachel rafael rajesh ralph ramon randy rashid raul ravi raymond rebecca reggie regina reginald rene
renee rhonda ricardo richard rick ricky rita robert roberta roberto rodney roger roland ron ronald ronnie rosa rosalie
rosemary rosie ross roxanne roy ruben ruby rudy rufus russell ruth ryan sabrina sadie sally salma sam samantha samir
samuel sandra sanjay sara sarah sasha saul scott sean sebastian selena sergio seth shane shannon sharon shaun shawn
sheila shelby sheldon shelly sherry shirley sid sidney silvia simon sofia sonia sophia sophie spencer stacey stacy
stan stanley stefan stella stephanie stephen steve steven stuart sue susan suzanne suzy sylvia tamara tammy tania
tanya tara tasha taylor ted terence teresa terrance terry tess thelma theo theodore theresa thomas tiffany tim timothy
tina toby todd tom tomas tommy toni tony tori tracy travis trent trevor trey tricia trina troy tyler tyrone ursula
valerie vanessa vera vernon veronica vicki victor victoria vijay vincent viola virginia vivian wallace walt walter
wanda warren wayne wendy wes wesley whitney william willie willis wilma winston xavier yasmin yolanda yuki yusuf
yvonne zach zachary zack zane zara zoe
"""
GIVEN_NAMES = frozenset(_GIVEN_NAMES.split())
"""Given names that are masked in any spelling; most are among the commonest of the United States census."""
_AMBIGUOUS_NAMES = """
angel april art august autumn bill candy carter chad charity chase chuck cliff clay cooper dawn dean drew eve
faith forest gene ginger glen grace grant hazel heath hope hunter iris ivy jack jasmine jay jewel jewels joy june
kay kim kit lance lane lee lily mark marshall max may melody mercy miles olive page pat patience pearl penny
pierce porter ray reed rich rob robin rocky rod rose rusty sandy skip stone summer ty van violet wade ward will
"""
AMBIGUOUS_NAMES = frozenset(_AMBIGUOUS_NAMES.split())
"""Names that are words as well: masked only where capitalised inside a sentence."""
