// PathDaemon
