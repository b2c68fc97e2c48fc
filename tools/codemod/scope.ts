// Changes imports of another vendor's compatible packages to imports of the SDK. The module also changes names that contain the vendor's
// brand.
import { Node, type SourceFile, SyntaxKind } from 'ts-morph'
import { type Edit, edited } from './edits.ts'

const packages = ['client', 'core', 'otel', 'tracing', 'browser', 'openai', 'langchain']

/**
 * Replaces the vendor's scope and brand by those of svc. For example, exports of `@vendor` packages have `Vendor` in their names, and
 * environment variables begin with `VENDOR_`.
 */
export function moveScope(source: SourceFile, scope: string): string {
  const word = scope.replace('@', '')
  const brand = word[0]!.toUpperCase() + word.slice(1)
  const renamed = (name: string) => name.replaceAll(brand, 'Svc')
  const edits: Edit[] = []
  const replace = (node: Node, text: string) => edits.push({ from: node.getStart(), to: node.getEnd(), text })

  const ours = new Map(packages.map(name => [`${scope}/${name}`, `@svc/${name}`]))
  for (const literal of source.getDescendantsOfKind(SyntaxKind.StringLiteral)) {
    const moved = ours.get(literal.getLiteralValue())
    if (moved !== undefined) edits.push({ from: literal.getStart() + 1, to: literal.getEnd() - 1, text: moved })
  }
  const imported = new Set<string>()
  for (const declaration of source.getImportDeclarations()) {
    if (!ours.has(declaration.getModuleSpecifierValue())) continue
    for (const specifier of declaration.getNamedImports()) {
      const name = specifier.getName()
      if (renamed(name) === name) continue
      if (specifier.getAliasNode() === undefined) imported.add(name)
      else replace(specifier.getNameNode(), renamed(name))
    }
  }
  for (const declaration of source.getExportDeclarations()) {
    if (!ours.has(declaration.getModuleSpecifierValue() ?? '')) continue
    for (const specifier of declaration.getNamedExports()) {
      const name = specifier.getName()
      if (renamed(name) === name) continue
      replace(specifier.getNameNode(), specifier.getAliasNode() === undefined ? `${renamed(name)} as ${name}` : renamed(name))
    }
  }
  const variable = new RegExp(`^${word.toUpperCase()}_`)
  for (const identifier of source.getDescendantsOfKind(SyntaxKind.Identifier)) {
    const name = identifier.getText()
    const parent = identifier.getParent()
    if (variable.test(name) && /\benv\b/.test(parent.getText())) replace(identifier, name.replace(variable, 'SVC_'))
    if (!imported.has(name)) continue
    const isMember = Node.isPropertyAccessExpression(parent) && parent.getNameNode() === identifier
    if (isMember || (Node.isPropertyAssignment(parent) && parent.getNameNode() === identifier)) continue
    replace(identifier, Node.isShorthandPropertyAssignment(parent) ? `${name}: ${renamed(name)}` : renamed(name))
  }
  for (const literal of source.getDescendantsOfKind(SyntaxKind.StringLiteral)) {
    const isVariable = Node.isElementAccessExpression(literal.getParent()) && variable.test(literal.getLiteralValue())
    if (isVariable)
      edits.push({ from: literal.getStart() + 1, to: literal.getEnd() - 1, text: literal.getLiteralValue().replace(variable, 'SVC_') })
  }
  return edited(source.getFullText(), edits)
}
