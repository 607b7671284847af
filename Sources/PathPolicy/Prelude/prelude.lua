-- The policy API, version 1.
return function() end
