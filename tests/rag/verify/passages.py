"""Passages of the sample handbook, as evidence."""

from rag.verify import Evidence

LEAVE = Evidence(
    "Up to 5 unused days move into the next year and must be taken by 31 March. After that they are gone, with no "
    "payment for them.\n\nGate crews who were held back by a tidal closure in November or December may carry over 8 "
    "days instead, until 31 May. The crew supervisor confirms the closure by email; no form is needed.\n\n"
    "Every October, Bristol staff can buy up to 4 extra days. Selling days is not possible in any office.",
    "[Leave and absence > Annual leave]",
)
SICK = Evidence(
    "Office staff: send your manager a message before 09:30. You do not have to say what is wrong with you.\n\n"
    "Merrowgate tops up sick pay to full salary for the first 10 weeks in any rolling twelve months.\n\n"
    "When you come back after more than 15 working days, your manager invites you to a return talk. It takes half an "
    "hour and is about workload and adjustments, not about proof.",
    "[Leave and absence > Sickness]",
)
TRAVEL = Evidence(
    "Book flights at least 14 days ahead. Later bookings need a yes from your line manager in Wayfinder, except for "
    "call-outs and incidents.\n\nTrips that can be done by train in under six hours door to door must not be flown. "
    "Premium economy is allowed when the flight itself lasts more than seven hours. Business class needs the "
    "managing director.\n\nIf you drive your own car we pay 45 pence per mile in Britain, 0.43 euro per kilometre in "
    "Belgium and 0.40 euro per kilometre in Portugal. You may add private days to a trip if the total fare is not "
    "higher than without them.\n\nClaims that come later are paid only with the signature of the finance director.",
    "[Travel policy 2025 > Booking]",
)
DINNERS = Evidence(
    "Up to 60 euro or 52 pounds per head. Name every guest on the claim. Public officials may not be invited without "
    "a written yes from the compliance officer, not even for coffee and cake.",
    "[Travel policy 2025 > Client dinners]",
)
BUYING = Evidence(
    "We pay suppliers 30 days after the invoice arrives, and small firms with fewer than 10 people after 14 days. "
    "Payment runs are on Tuesday and Friday.\n\nEmergency orders during a call-out can be placed by phone by the duty "
    "engineer up to 5,000 euro; the purchase order follows on the next working day.\n\nDown payments above 20 percent "
    "need a bank guarantee. You can keep gifts up to 30 euro per supplier and year. Orders for the old year must be "
    "in by 5 December.\n\nFinance phones new suppliers with a number taken from a public register. Fill in form S-2.",
    "[Purchasing > Payment terms]",
)
SECURITY = Evidence(
    "A Merrowgate password has at least 14 characters. IT will never ask for your password. Code by text message was "
    "switched off on 1 March 2025.\n\nControl credentials for gates and bridges never leave the vault. Say so within "
    "the hour, since the authority must hear about it within 72 hours. Phone extension 4400 day and night, or write "
    "to `#it-help`.\n\nConfidential paper goes into the locked grey bins. They are emptied every second Thursday.",
    "[Security basics]",
)
OFFICES = Evidence(
    "Portway House is open from 06:30 to 20:00 on working days. On Saturdays your badge opens the side door from "
    "08:00 to 14:00. The fridge is cleared every Friday at 16:00.\n\nThe canteen is open from 11:45 to 13:30. "
    "Merrowgate pays half of each meal there. At most 25 people may use the roof terrace at the same time.\n\n"
    "Fire drills take place twice a year in each office, in March and October. Dogs are welcome in Bristol on floors "
    "1 and 2. Most visitors sign in with the shift lead. Reception keeps things for 3 months.",
    "[Our offices]",
)
CARDS = Evidence(
    "Supervisors and project managers have a card. Monthly limit 3,000 euro or 2,600 pounds. Upload the receipt "
    "within ten days, otherwise the card is blocked automatically and only Ola in Finance can open it again.",
    "[Purchasing > Company cards]",
)
ALL = (LEAVE, SICK, TRAVEL, DINNERS, BUYING, SECURITY, OFFICES, CARDS)
