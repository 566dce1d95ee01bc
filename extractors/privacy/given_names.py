"""Common given names of many countries, in small letters: for names that nothing but "im" announces.

A list only helps where the form alone does not decide; a name that is not here is still found where it is announced
("my name is", a signature). Names that are words of posts ("will", "mark", "may", "hope", "grace", "joy") are left out.
"""

from typing import Final

from extractors.text.wordlists import words as word_list

GIVEN_NAMES: Final = frozenset(
    word_list(
        """aaron abby abdul abdullah abigail adam adrian agnes ahmad ahmed aidan aisha ajay akash alan albert alejandra
    alejandro alex alexa alexander alexandra alexis alfred ali alice alicia alina alisha alison allison alyssa
    amanda amber amelia amina amir amit amy ana anastasia andre andrea andreas andrew andy angela angelina anil
    anita anjali ann anna anne annie anthony antonio anton arjun arthur arun ashley ashwin asif astrid austin
    ava barbara bashir beatriz becky ben benjamin bernard beth bethany betty bianca bilal bill billy bob bobby
    boris brad bradley brandon brenda brian brittany brooke bruce bryan caitlin caleb cameron camila carl carla
    carlos carmen carol caroline carolina catherine cecilia charles charlie charlotte chelsea chen chiara chloe
    chris christian christina christine christopher cindy claire clara claudia clement cole colin connor corey
    craig cristina crystal cynthia daisuke damien dan daniel daniela danielle danny darren dave david dean
    deborah debbie declan deepak deepika denise dennis derek diana diego dimitri dmitri dominic donald donna
    doris dorothy doug dylan eddie edgar edith eduardo edward eileen elaine elena eleanor eli elias elijah elisa
    elizabeth ella ellen ellie emil emilia emily emma eric erica erik erin ernesto esther ethan eugene eva evan
    evelyn fabian farah faisal fatima fatma felipe felix fernando fiona florian frances francesca francis
    francisco frank franz fred frederick friedrich gabriel gabriela gareth gary gavin george gerald gerard
    gertrude gianna gina giovanni giulia gloria gonzalo gordon gregory greta guillermo gustavo haley hannah hans
    harold harriet harris harrison harry harsh hassan hayley heather hector heidi helen helena helga henry
    henrik herbert hiroshi holly howard hugo hussein ian ibrahim igor imran ines ingrid irene iris isaac isabel
    isabella isaiah ishaan ismail ivan jack jackie jackson jacob jacqueline jake jamal james jamie jan jane
    janet janice jared jasmine jason javier jay jayden jean jeff jeffrey jen jenna jennifer jenny jeremy jerome
    jerry jesse jessica jessie jill jim jimmy joan joanna joao joe joel johan johanna john johnny jon jonas
    jonathan jordan jorge jose josef joseph josephine josh joshua juan juanita judith judy julia julian juliana
    julie julien juliet justin jurgen jürgen kaitlyn karen karim karl karla kate katherine kathleen kathryn
    kathy katie katrina kavita kayla keisha keith kelly kelsey ken kenneth kenji kevin khadija kim kimberly
    kiran kirsten klaus krishna kristen kristin kumar kurt kyle lakshmi lara larry lars latisha latoya laura
    lauren laurie leah lena leo leon leonard leslie liam lila lily linda lindsay lisa liz logan lorenzo lori
    louis louise luca lucas lucia luis luisa luke luna lydia lynn madison maggie mahmoud malik mandy manuel marc
    marcel marcia marco marcos marcus margaret maria mariam mariana marie marina mario marissa marlene martha
    martin martina mary mateo matt matthew maureen maurice megan mehmet melanie melissa mia michael michelle
    miguel mike mikhail milan miranda mohamed mohammad mohammed moises molly monica monika monique morgan
    mustafa nadia nancy naomi natalia natalie natasha nathan nathaniel neha neil nguyen nicholas nick nicolas
    nicole nikhil nikita nina nisha noah noor nora norma oksana olga oliver olivia omar oscar otto owen pablo
    pamela patricia patrick paul paula pauline pavel pedro peggy penelope peter petra phil philip phillip
    phyllis pierre pooja prakash pranav preeti priya priyanka rachel rafael rahul raj rajesh ralph ramon ramesh
    randy raquel rashid raul ravi raymond rebecca regina rehan renee ricardo richard rick ricky riley rita rob
    robert roberta roberto robin rodrigo roger rohan rohit roland roman ronald rosa rosemary ross roxanne ruben
    rupert russell ruth ryan sabrina said sally salma sam samantha samir samuel sandra sandeep sanjay santiago
    sara sarah sasha saskia scott sean sebastian selina serena sergei sergio shane shannon sharon shaun shawn
    sheila shelby shelly shreya shirley siddharth silvia simon simone sofia sonia sophia sophie stacey stacy
    stefan stefanie stella stephanie stephen steve steven stuart sudhir sue suleiman sunita suresh susan susanne
    suzanne svetlana sven sylvia tamara tanya tara tatiana taylor ted teresa terrence theo theodore theresa
    thomas tiago tiffany tim timothy tina tobias toby todd tom tomas tomasz tommy toni tony tracy travis tristan
    trevor troy tyler ursula usman valentina valerie vanessa vera veronica victor victoria vijay vikram vincent
    viktor violet virginia vivek vivian vladimir walter wanda warren wayne wendy wesley wilhelm william wolfgang
    xavier yasmin yolanda yosef yousef youssef yuki yusuf yvonne zac zach zachary zainab zara zoe zoey"""
    )
)
