-- hostile: fails while it is loaded
-- expect: load-error on purpose
-- stage: load

error("on purpose")
