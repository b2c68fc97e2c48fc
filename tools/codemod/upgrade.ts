// Rewrites calls that have changed in SDK v6. Marks calls that a person must change.
import { type CallExpression, Node, type PropertyAccessExpression, type SourceFile, SyntaxKind } from 'ts-morph'
import { namesIn } from '../../libs/api/src/operation.ts'
import { operations } from '../../libs/api/src/operations.ts'
import { type Edit, edited } from './edits.ts'
import * as removed from './removed.ts'

interface Note {
  readonly line: number
  readonly text: string
}

export interface Upgraded {
  readonly text: string
  readonly changed: readonly Note[]
  readonly left: readonly Note[]
}

const marker = '// SDK v6: '

/**
 * Some methods take an empty request before the options. The key of an entry is the path of such a method. The value is the number of
 * arguments before the empty request.
 */
const emptyRequests = new Map(operations.filter(each => each.emptyRequest).map(({ id, path }) => [id as string, namesIn(path).length]))

export function upgrade(source: SourceFile): Upgraded {
  const edits: Edit[] = []
  const changed: Note[] = []
  const left: Note[] = []
  const marked = new Map<number, string>()

  function change(node: Node, text: string, ...made: readonly Edit[]): void {
    edits.push(...made)
    changed.push({ line: node.getStartLineNumber(), text })
  }
  function leave(node: Node, what: string, advice: string): void {
    const text = `${what} was removed; ${advice}.`
    left.push({ line: node.getStartLineNumber(), text })
    const statement = node.getFirstAncestor(each => Node.isStatement(each) && !Node.isBlock(each)) ?? node
    const at = statement.getStart()
    if (commentsAbove(source, at).includes(`${marker}${text}`)) return
    const line = `${marker}${text}`
    const before = marked.get(at)
    marked.set(at, before === undefined || before.includes(line) ? line : `${before}\n${indentAt(source, at)}${line}`)
  }

  for (const access of source.getDescendantsOfKind(SyntaxKind.PropertyAccessExpression)) {
    const path = pathOf(access)
    if (path === undefined) leaveUnknownMethods(access)
    else if (path.of === 'client') upgradeClient(access, path.names)
    else upgradeApi(access, path)
  }
  upgradeTypes()

  function leaveUnknownMethods(access: PropertyAccessExpression): void {
    const call = access.getParent()
    if (!Node.isCallExpression(call) || call.getExpression() !== access) return
    const found = removed.removedMethods.find(each => each.name === access.getName())
    const given = call
      .getArguments()
      .map(each => each.getText())
      .join(', ')
    if (found?.takes.test(given)) leave(access, `${found.name}()`, found.advice)
  }

  function upgradeClient(access: PropertyAccessExpression, [name, ...more]: readonly string[]): void {
    if (name === undefined || more.length > 0) return
    const other = removed.renamedOfClient[name]
    const advice = removed.removedOfClient[name]
    if (other !== undefined) {
      const at = access.getNameNode()
      change(access, `${name} is ${other}`, { from: at.getStart(), to: at.getEnd(), text: other })
      if (other.startsWith('api.')) emptyRequestOf(access, other.slice('api.'.length))
    } else if (advice !== undefined) leave(access, name, advice)
  }

  function upgradeApi(access: PropertyAccessExpression, { names, root }: ApiPath): void {
    const method = names.join('.')
    const call = access.getParent()
    const isCalled = Node.isCallExpression(call) && call.getExpression() === access
    // If this path is the beginning of a longer path, only the longer path is handled.
    if (Node.isPropertyAccessExpression(call) && call.getExpression() === access) return
    const other = removed.renamedOfApi[method]
    if (other !== undefined) {
      change(access, `api.${method} is api.${other}`, { from: root.getEnd(), to: access.getEnd(), text: `.${other}` })
      emptyRequestOf(access, other)
      return
    }
    const gone = removed.removedOfApi.find(([beginning]) => method === beginning || method.startsWith(`${beginning}.`))
    if (gone !== undefined) leave(access, `api.${method}`, gone[1])
    else if (isCalled && method === 'scores.create') asList(call)
    else emptyRequestOf(access, method)
  }

  function asList(call: CallExpression): void {
    const [score] = call.getArguments()
    const statement = call.getParent()
    const isAlone = Node.isExpressionStatement(Node.isAwaitExpression(statement) ? statement.getParent() : statement)
    if (!isAlone) leave(call, 'the id in the response of api.scores.create', 'pass an id with the score if you need it')
    if (score === undefined || Node.isArrayLiteralExpression(score) || score.getType().isArray()) return
    change(
      call,
      'api.scores.create accepts a list',
      { from: score.getStart(), to: score.getStart(), text: '[' },
      { from: score.getEnd(), to: score.getEnd(), text: ']' },
    )
  }

  function emptyRequestOf(access: PropertyAccessExpression, method: string): void {
    const before = emptyRequests.get(method)
    const call = access.getParent()
    if (before === undefined || !Node.isCallExpression(call) || call.getExpression() !== access) return
    const given = call.getArguments()
    const options = given[before]
    if (
      given.length !== before + 1 ||
      options === undefined ||
      given.some(each => Node.isSpreadElement(each)) ||
      options.getText() === '{}'
    )
      return
    change(call, `api.${method} needs {} before its options`, { from: options.getStart(), to: options.getStart(), text: '{}, ' })
  }

  function upgradeTypes(): void {
    for (const name of source.getDescendantsOfKind(SyntaxKind.QualifiedName)) {
      const text = name.getText()
      const plain = removed.unprefixed.find(each => text === `legacy.${each}` || text.endsWith(`.legacy.${each}`))
      if (plain === undefined || Node.isQualifiedName(name.getParent())) continue
      const written = text.slice(0, -`legacy.${plain}`.length)
      if (written !== '')
        change(name, `legacy.${plain} is ${plain}`, { from: name.getStart(), to: name.getEnd(), text: `${written}${plain}` })
      else leave(name, `legacy.${plain}`, `import ${plain} of @svc/core`)
    }
    for (const declaration of source.getImportDeclarations()) {
      if (!declaration.getModuleSpecifierValue().startsWith('@svc/')) continue
      for (const specifier of declaration.getNamedImports()) {
        const advice = removed.removedExports[specifier.getName()]
        if (advice !== undefined) leave(specifier, specifier.getName(), advice)
      }
    }
  }

  for (const [at, text] of marked) edits.push({ from: at, to: at, text: `${text}\n${indentAt(source, at)}` })
  return { text: edited(source.getFullText(), edits), changed, left }
}

function commentsAbove(source: SourceFile, at: number): readonly string[] {
  const lines = source
    .getFullText()
    .slice(0, at)
    .split('\n')
    .slice(0, -1)
    .map(line => line.trim())
  return lines.slice(lines.findLastIndex(line => !line.startsWith('//')) + 1)
}

function indentAt(source: SourceFile, at: number): string {
  const text = source.getFullText()
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  return /^\s*/.exec(line)![0]
}

interface ClientPath {
  readonly of: 'client'
  readonly names: readonly string[]
}
interface ApiPath {
  readonly of: 'api'
  readonly names: readonly string[]
  readonly root: Node
}

function pathOf(access: PropertyAccessExpression): ClientPath | ApiPath | undefined {
  const names: string[] = []
  for (let at: Node = access; Node.isPropertyAccessExpression(at); at = at.getExpression()) {
    names.unshift(at.getName())
    const holder = at.getExpression()
    const type = holder.getType().getNonNullableType().getSymbol()?.getName()
    if (type === 'SvcApi' || type === 'SvcAPIClient') return { of: 'api', names, root: holder }
    if (type !== 'SvcClient') continue
    return names[0] === 'api' ? (names.length === 1 ? undefined : { of: 'api', names: names.slice(1), root: at }) : { of: 'client', names }
  }
  return undefined
}
