-- hostile: wants an effect while it is loaded
-- expect: load-error global 'ctx'
-- stage: load

ctx.alert.raise { key = "early", title = "too early" }
return { api = 1 }
