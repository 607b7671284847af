// PathActions
