/// The version of this program, as `--version` prints it and the changelog heads it.
let netvaneVersion = "0.1.0"
