// All small breakages of the studio's TypeScript, from its syntax trees; of those that are asked for, whether
// they still have the right types.
//
//   node typescript_operators.mjs WEB                 prints a JSON list of breakages
//   node typescript_operators.mjs WEB < breakages     prints a JSON list of booleans: does each compile?
//
// Left alone: strings, types, imports, the messages generated from Python, colours, and the numbers of files that
// only paint: how large a mark is drawn is judged by looking at it.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";

const web = process.argv[2];
const ts = createRequire(join(web, "package.json"))("typescript");
const K = ts.SyntaxKind;

const swapped = new Map([
  [K.PlusToken, "-"], [K.MinusToken, "+"], [K.AsteriskToken, "/"], [K.SlashToken, "*"],
  [K.LessThanToken, ">="], [K.LessThanEqualsToken, ">"], [K.GreaterThanToken, "<="], [K.GreaterThanEqualsToken, "<"],
  [K.EqualsEqualsEqualsToken, "!=="], [K.ExclamationEqualsEqualsToken, "==="],
  [K.AmpersandAmpersandToken, "||"], [K.BarBarToken, "&&"],
  [K.PlusEqualsToken, "-="], [K.MinusEqualsToken, "+="],
]);
const others = { __proto__: null, min: "max", max: "min", floor: "ceil", ceil: "floor", some: "every", every: "some", sin: "cos", cos: "sin" };

const painting = /(time\/paint|stage\/(signs|marks|legend|arrow|bone_lines|labels|overlays)|shell\/icon|panels\/plot)\.tsx?$/;

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else if (/\.tsx?$/.test(entry.name) && entry.name !== "messages.ts") yield path;
  }
}

function mutations(path) {
  const text = readFileSync(path, "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const bytes = (at) => Buffer.byteLength(text.slice(0, at));
  const found = [];
  const scope = [];
  const put = (start, end, replacement, what) =>
    found.push({
      file: relative(web, path), start: bytes(start), end: bytes(end), text: replacement, what: what.replace(/\s+/g, " "),
      line: source.getLineAndCharacterOfPosition(start).line + 1, function: scope.join("."),
    });
  const wordy = (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || (ts.isBinaryExpression(node) && (wordy(node.left) || wordy(node.right)));
  const short = (node) => node.getText(source).slice(0, 50);

  function visit(node) {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isThrowStatement(node)) return;
    const named = (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isClassDeclaration(node) || ts.isGetAccessor(node)) && node.name
      ? node.name.getText(source)
      : ts.isVariableDeclaration(node) && node.initializer && ts.isArrowFunction(node.initializer) ? node.name.getText(source) : undefined;
    if (named !== undefined) scope.push(named);
    if (ts.isBinaryExpression(node)) {
      const token = node.operatorToken;
      const other = swapped.get(token.kind);
      if (other && !wordy(node.left) && !wordy(node.right))
        put(token.getStart(source), token.end, other, `${short(node.left)} ${token.getText(source)} ${short(node.right)} → ${other}`);
    } else if (ts.isNumericLiteral(node)) {
      if (painting.test(path) || /^0x/i.test(node.getText(source))) return;
      const value = Number(node.text);
      if (value === 0 || Math.abs(value) > 1e-5) put(node.getStart(source), node.end, value === 0 ? "1" : String(2 * value), `${node.text} → ${value === 0 ? 1 : 2 * value}`);
    } else if (node.kind === K.TrueKeyword || node.kind === K.FalseKeyword) {
      const other = node.kind === K.TrueKeyword ? "false" : "true";
      put(node.getStart(source), node.end, other, `${node.getText(source)} → ${other}`);
    } else if (ts.isPrefixUnaryExpression(node) && (node.operator === K.MinusToken || node.operator === K.ExclamationToken)) {
      put(node.getStart(source), node.operand.getStart(source), "", `${short(node)} → without ${node.operator === K.MinusToken ? "the sign" : "not"}`);
    } else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const test = ts.isIfStatement(node) ? node.expression : node.condition;
      if (!ts.isBinaryExpression(test) && !ts.isPrefixUnaryExpression(test))
        put(test.getStart(source), test.end, `!(${test.getText(source)})`, `if ${short(test)} → if not`);
    } else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const name = node.expression.name;
      const other = others[name.text];
      if (other) put(name.getStart(source), name.end, other, `${short(node)} → ${other}`);
    } else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) {
      put(node.getStart(source), node.end, ";", `without ${short(node)}`);
    }
    ts.forEachChild(node, visit);
    if (named !== undefined) scope.pop();
  }
  visit(source);
  return found;
}

/** Whether the project has no complaint about the file of each breakage once it is made. */
function compile(asked) {
  const config = ts.parseJsonConfigFileContent(ts.readConfigFile(join(web, "tsconfig.json"), ts.sys.readFile).config, ts.sys, web);
  const changed = new Map();
  const version = new Map();
  const host = {
    getScriptFileNames: () => config.fileNames,
    getScriptVersion: (name) => String(version.get(name) ?? 0),
    getScriptSnapshot: (name) => {
      const text = changed.get(name) ?? ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => web,
    getCompilationSettings: () => config.options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists, readFile: ts.sys.readFile, readDirectory: ts.sys.readDirectory, directoryExists: ts.sys.directoryExists, getDirectories: ts.sys.getDirectories, realpath: ts.sys.realpath,
  };
  const service = ts.createLanguageService(host);
  const put = (name, text) => {
    if (text === undefined) changed.delete(name);
    else changed.set(name, text);
    version.set(name, (version.get(name) ?? 0) + 1);
  };
  return asked.map((m) => {
    const name = join(web, m.file);
    const source = readFileSync(name);
    put(name, Buffer.concat([source.subarray(0, m.start), Buffer.from(m.text), source.subarray(m.end)]).toString());
    const faults = service.getSyntacticDiagnostics(name).length + service.getSemanticDiagnostics(name).length;
    put(name, undefined);
    return faults === 0;
  });
}

const asked = process.stdin.isTTY ? "" : readFileSync(0, "utf8");
if (asked.trim()) process.stdout.write(JSON.stringify(compile(JSON.parse(asked))));
else process.stdout.write(JSON.stringify([...files(join(web, "src"))].flatMap(mutations)));
