-- hostile: uses the context of an earlier call
-- expect: error expired context
-- stage: handler
-- needs: api

local kept
return {
  api = 1,
  on_start = function(ctx) kept = ctx end,
  on_path = function() kept.alert.raise { key = "late", title = "from the past" } end,
}
