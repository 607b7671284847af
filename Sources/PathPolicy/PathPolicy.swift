// PathPolicy
