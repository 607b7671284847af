// PathCore
