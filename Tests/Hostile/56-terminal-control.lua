-- hostile: puts control sequences, bad UTF-8, bidi marks and markup into an alert
-- expect: ok
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.alert.raise {
      key = "k",
      title = "\0\27[2J\27]0;owned\7 \xFF\xC0\x80 \u{202E}txt.exe <b>bold</b>",
      body = "\r\nnetvane: everything is fine",
    }
  end,
}
