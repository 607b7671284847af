-- hostile: uses the context of an earlier call
-- expect: ok
-- stage: handler
-- needs: api

local kept
return {
  api = 1,
  on_start = function(ctx) kept = ctx end,
  on_path = function() kept.alert.raise { key = "late", title = "from the past" } end,
}
