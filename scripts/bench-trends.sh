#!/usr/bin/env bash
# What trends cost beside indexing: COUNT documents over 120 months, one of 60 companies in each of five sentences by chance; one
# company begins after two thirds of the time, one ends after the first.
#
#   scripts/bench-trends.sh PROGRAM COUNT WORK
#
# Prints CPU seconds and peak megabytes of indexing, of `trends`, and of one document more.
set -euo pipefail
program=$(realpath "$1") count=$2 work=$3
rm -rf "$work"
mkdir -p "$work/docs"
awk -v count="$count" -v folder="$work/docs" 'BEGIN {
  srand(7)
  split("North South East West Upper Lower Old New Great Little", first, " ")
  split("Harbour Mill Bridge Field Tower Garden", second, " ")
  split("sold engines to|bought the works of|met customers of|sued the owners of|praised the staff of|failed the orders of", says, "|")
  for (number = 0; number < count; number++) {
    month = int(number * 120 / count)
    file = sprintf("%s/%d-%02d-%06d.txt", folder, 2010 + int(month / 12), month % 12 + 1, number)
    text = ""
    for (line = 0; line < 5; line++) {
      one = int(rand() * 60); other = int(rand() * 60)
      name = first[one % 10 + 1] " " second[int(one / 10) + 1]
      partner = first[other % 10 + 1] " " second[int(other / 10) + 1]
      text = text sprintf("%s %s %s for the %dth time in order %d.\n\n", name, says[int(rand() * 6) + 1], partner, rand() * 900, number * 7 + line)
    }
    if (month >= 80) text = text sprintf("Rising Sun won contract number %d. Customers like Rising Sun.\n", number)
    if (month < 40) text = text sprintf("Setting Moon lost contract number %d. Customers left Setting Moon.\n", number)
    print text > file
    close(file)
  }
}'
cd "$work"
measured() {
  local what=$1
  shift
  # seconds of user and system, kilobytes at the peak
  python3 - "$what" "$@" <<'PYTHON'
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{sys.argv[1]}: {used.ru_utime + used.ru_stime:.1f} CPU s, {used.ru_maxrss // 1024} MB" + ("" if code == 0 else f", code {code}"), flush=True)
PYTHON
}
measured index "$program" index docs -q
measured "trends --every month" "$program" trends --every month --json
echo "North Harbour met customers of Old Mill for the last time." >docs/2019-12-999999.txt
measured "one document more" "$program" index docs/2019-12-999999.txt -q
