// For drop-in imports: `import Network` finds what NetworkPath has.
@_exported public import NetworkPath
