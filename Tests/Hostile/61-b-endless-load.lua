-- hostile: never finishes loading
-- expect: fuel
-- stage: load

while true do end
