#!/usr/bin/env bash
# A click on an ad, a purchase, and two delivered reports. Run it with: pcm-browser exec -- ./checkout.sh
set -euo pipefail

api=$PCM_BROWSER_URL/v1/browsers/checkout-curl

# call METHOD PATH [BODY]: prints the response, and fails with the service's words.
call() {
  curl --silent --show-error --fail-with-body -X "$1" "$api$2" -H 'Content-Type: application/json' ${3:+-d "$3"}
}

call PUT "" '{"seed":"1","clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"}}' >/dev/null
call PUT /network '{"mode":"simulated"}' >/dev/null
call PUT /apps/com.example.news '{"reportEndpoint":"https://news.example"}' >/dev/null
call POST /event-attributions '{"bundleIdentifier":"com.example.news","sourceIdentifier":4,"destinationURL":"https://shop.example/"}' >/dev/null
call POST /clock/advance '{"by":"PT3H"}' >/dev/null
call POST /triggering-events '{"firstPartyURL":"https://shop.example/thanks","pixelOf":"news.example","triggerData":12}' >/dev/null
call POST /clock/advance '{"by":"PT48H"}' >/dev/null

for recipient in source destination; do
  answer=$(call POST /expectations '{"report":{"recipient":"'$recipient'","state":"delivered","sourceIdentifier":4,"triggerData":12}}')
  jq -r .text <<<"$answer"
  jq -e .met <<<"$answer" >/dev/null
done
call DELETE ""
