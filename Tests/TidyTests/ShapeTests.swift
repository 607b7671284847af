import Testing

private func file(_ text: String, _ name: String = "A.swift") -> SourceFile {
  SourceFile(path: "Sources/PathCore/\(name)", text: text)
}

private func body(_ count: Int, _ indent: String = "  ") -> String {
  String(repeating: indent + "a()\n", count: count)
}

struct ShapeTests {
  @Test func `files, functions and lines of the sources are as long as they may be`() {
    let found =
      SourceTree.sources.flatMap { Shape.checkFileLength($0) }
      + SourceTree.sources.flatMap { Shape.checkFunctions($0) }
      + (SourceTree.sources + SourceTree.tests).flatMap(Shape.checkLineLength)
    for finding in found { Issue.record("\(finding)") }
  }

  @Test func `no note to oneself stays in sources, tests or policies`() {
    // This room must spell the marks to look for them.
    let files =
      SourceTree.sources + SourceTree.policies + SourceTree.tests.filter { $0.room != "TidyTests" }
    for finding in files.flatMap(Shape.checkMarks) { Issue.record("\(finding)") }
  }

  @Test func `each source file says what it is for`() {
    for finding in SourceTree.sources.flatMap(Shape.checkFirstComment) {
      Issue.record("\(finding)")
    }
  }

  @Test func `the tree is really read, and no exception has outlived its day`() {
    #expect(SourceTree.sources.count > 15)
    #expect(SourceTree.sources.contains { $0.path == "Sources/netvane/main.swift" })
    #expect(SourceTree.tests.contains { $0.path == "Tests/TidyTests/ShapeTests.swift" })
    for exception in Shape.exceptions {
      #expect(Shape.today() <= exception.until, "\(exception.place)")
    }
  }

  @Test func `a file of one line too many is found, in both languages`() {
    #expect(Shape.checkFileLength(file(body(400))).isEmpty)
    #expect(Shape.checkFileLength(file(body(401))).count == 1)
    #expect(Shape.checkFileLength(file(body(401), "a.c")).count == 1)
    #expect(Shape.checkFileLength(file(body(401), "a.lua")).isEmpty)
  }

  @Test func `an exception holds for its place until its day, and needs a reason`() {
    func excepted(_ exception: Shape.Exception) -> Bool {
      Shape.isExcepted("Sources/A.swift", [exception], today: "2026-05-01")
    }
    #expect(excepted(.init(place: "Sources/A.swift", reason: "a table", until: "2026-05-01")))
    #expect(!excepted(.init(place: "Sources/A.swift", reason: "a table", until: "2026-04-30")))
    #expect(!excepted(.init(place: "Sources/A.swift", reason: "", until: "2026-05-01")))
    #expect(!excepted(.init(place: "Sources/B.swift", reason: "a table", until: "2026-05-01")))
  }

  @Test(arguments: [
    "func long() {\n", "init?(a: Int = { 1 }()) {\n", "deinit {\n", "subscript(i: Int) -> Int {\n",
    "func < (a: A, b: A) -> Bool {\n", "protocol P { func short() }\nfunc long() {\n",
  ]) func `a function of one line too many is found`(head: String) {
    #expect(Shape.checkFunctions(file(head + body(68) + "}\n")).isEmpty)
    #expect(Shape.checkFunctions(file(head + body(69) + "}\n")).count == 1)
  }

  @Test func `a C function of one line too many is found, also after other braces`() {
    let before = "#define A(x) x\nstruct a { int b; };\nstatic int t[] = { 1 };\n"
    let head = before + "static int\nlong_one(int a, char *b)\n{\n"
    #expect(Shape.checkFunctions(file(head + body(66) + "}\n", "a.c")).isEmpty)
    #expect(
      Shape.checkFunctions(file(head + body(67) + "}\n", "a.c"))
        == [
          Finding(
            path: "Sources/PathCore/a.c", line: 4,
            message: "long_one has 71 lines; 70 is the most")
        ])
  }

  @Test func `braces in comments and strings are not counted, and calls are no declarations`() {
    let text = """
      func short() {
        let a = "}{{{" // {{{
        self.init(a: 1)
        .init()
        let b = #"{"#
        let c = 'x'
      }
      func other() {}
      """
    #expect(functions(in: file(text)).map(\.name) == ["short", "other"])
    #expect(functions(in: file(text)).map(\.length) == [7, 1])
  }

  @Test func `a line of 101 columns is found`() {
    #expect(Shape.checkLineLength(file(String(repeating: "ü", count: 100))).isEmpty)
    #expect(Shape.checkLineLength(file("\n" + String(repeating: "ü", count: 101))).count == 1)
  }

  @Test(arguments: ["// TODO: a", "/* FIXME */", "-- XXX", "let a = 1 // HACK"])
  func `a mark is found`(text: String) {
    #expect(Shape.checkMarks(file(text)).count == 1)
  }

  @Test func `a word that only holds a mark is let through`() {
    #expect(Shape.checkMarks(file("mkstemp(\"a.XXXXXX\") // todos, HACKED")).isEmpty)
  }

  @Test(arguments: [
    "struct A {}", "import B\n\nstruct A {}", "// A.\nstruct A {}", "/// A.\n\nstruct A {}",
    "@frozen\nstruct A {}",
  ]) func `a first declaration without a doc comment is found`(text: String) {
    #expect(Shape.checkFirstComment(file(text)).count == 1)
  }

  @Test(arguments: [
    "/// A.\nstruct A {}", "internal import B\n\n/// A.\n@frozen\nstruct A {}",
    "// Only a comment.", "#if DEBUG\n/// A.\nstruct A {}\n#endif", "/** A.\n */\nstruct A {}",
  ]) func `a first declaration with one is let through`(text: String) {
    #expect(Shape.checkFirstComment(file(text)).isEmpty)
  }
}

struct CodeScannerTests {
  @Test func `comments and strings turn blank, lines stay`() {
    let code = file(
      "a /* b /* c */ d */ e // f\n\"g \\\" h\" i #\"j \" k\"# l\n\"\"\"\nm \"n\n\"\"\" o"
    ).code
    #expect(
      code.split(whereSeparator: \.isWhitespace).map(String.init) == ["a", "e", "i", "l", "o"])
    #expect(code.count { $0 == "\n" } == 4)
  }

  @Test func `in C comments do not nest, and a quoted quote opens nothing`() {
    let code = file("/* a /* b */ c '\"' d '\\'' e \"'\" f", "a.c").code
    #expect(
      code.split(whereSeparator: \.isWhitespace).map(String.init) == ["c", "d", "e", "f"])
  }

  @Test func `an unfinished comment or string ends with the file`() {
    #expect(file("a /* b").code == "a     ")
    #expect(file("a \"b").code == "a   ")
    #expect(file("a \"\"\" b").code == "a      ")
    #expect(file("a \\").code == "a \\")
  }
}
