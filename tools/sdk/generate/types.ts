// Generates the named types of the SDK's operations.
import { bodyShape, type Field, type Fields, fieldsOf, type Shape, shapeOf } from '../../../libs/api/src/fields/shape.ts'
import type { Operation } from '../../../libs/api/src/operation.ts'
import { operations } from '../../../libs/api/src/operations.ts'
import { aliases, constantNames, presences, requestNames, responseNames, variantNames } from '../../../libs/api/src/sdk/names.ts'
import * as published from '../../../libs/api/src/sdk/types.ts'

// The order of the exports of a module depends on the module loader, so the operations are sorted.
export const sdkOperations: readonly Operation[] = operations
  .filter(({ surface }) => surface === 'sdk')
  .sort((a, b) => (a.id < b.id ? -1 : 1))

/** Returns the namespace of an operation. For example, `unstable.skills.get` belongs to `unstable.skills`. */
export const namespaceOf = (id: string): string => id.slice(0, id.lastIndexOf('.'))

export const isUnstable = (namespace: string): boolean => namespace.startsWith('unstable.')

/** Name of the file for types that several namespaces use. */
const commons = 'commons'

interface NamedType {
  readonly shape: Shape
  /** True if requests contain the type. In requests, the server accepts null in every field, even if the documentation does not say so. */
  isOfRequests: boolean
  readonly users: Set<string>
}

export const types: ReadonlyMap<string, NamedType> = collected()

function collected(): Map<string, NamedType> {
  const found = new Map<string, NamedType>()
  const byName = new Map(
    Object.values(published)
      .map(schema => [schema.meta()!['id'] as string, schema] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

  function add(name: string, shape: Shape, user: string, isOfRequests: boolean): void {
    const known = found.get(name)
    if (known?.users.has(user) && (known.isOfRequests || !isOfRequests)) return
    const type = known ?? { shape, isOfRequests, users: new Set<string>() }
    type.users.add(user)
    type.isOfRequests ||= isOfRequests
    found.set(name, type)
    visit(type.shape, user, isOfRequests)
  }

  function visit(shape: Shape, user: string, isOfRequests: boolean): void {
    if (shape.kind === 'named') add(shape.name, bodyShape(byName.get(shape.name) ?? shape.schema), user, isOfRequests)
    else if (shape.kind === 'list' || shape.kind === 'record') visit(shape.of, user, isOfRequests)
    else if (shape.kind === 'union') for (const each of shape.of) visit(each, user, isOfRequests)
    else if (shape.kind === 'object') for (const { shape: field } of Object.values(shape.fields)) visit(field, user, isOfRequests)
  }

  for (const { id, body, query, responses } of sdkOperations) {
    const user = namespaceOf(id)
    if (body !== undefined) visit(shapeOf(body), user, true)
    const requestName = requestNames[id]
    if (requestName !== undefined) add(requestName, { kind: 'object', fields: fieldsOf(query) }, user, true)
    for (const [status, response] of Object.entries(responses)) if (response && Number(status) < 300) visit(shapeOf(response), user, false)
  }
  for (const schema of byName.values()) {
    const shape = shapeOf(schema)
    if (shape.kind === 'named' && !found.has(shape.name)) visit(shape, commons, false)
  }
  const union = Object.values(responseNames).filter(name => !found.has(name))
  for (const name of union) add(name, { kind: 'union', of: unionOf(name) }, 'scores', false)
  return found
}

function unionOf(name: string): readonly Shape[] {
  const operation = sdkOperations.find(({ id }) => responseNames[id] === name)!
  return Object.entries(operation.responses).flatMap(([status, schema]) =>
    schema && Number(status) > 200 && Number(status) < 300 ? [shapeOf(schema)] : [],
  )
}

/**
 * Returns a type's file. If several namespaces use a type, this type is in a common file, and so is every type that it contains. Two files
 * therefore never import each other.
 */
export function fileOf(name: string): string {
  const users = [...types.get(name)!.users]
  if (users.length === 1) return users[0]!
  return users.every(isUnstable) ? `unstable.${commons}` : commons
}

const pascal = (value: string): string =>
  value
    .split(/[^A-Za-z0-9]+/)
    .filter(word => word !== '')
    .map(word => word[0]!.toUpperCase() + (word === word.toUpperCase() ? word.slice(1).toLowerCase() : word.slice(1)))
    .join('')

const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`

const enumNames: ReadonlyMap<string, string> = new Map(
  [...types].flatMap(([name, { shape }]) => (shape.kind === 'enum' ? [[shape.values.join('\n'), name] as const] : [])),
)

/** Returns the type as TypeScript. Adds all names in this type to `seen`. */
function written(shape: Shape, seen: Set<string>): string {
  switch (shape.kind) {
    case 'named':
      seen.add(shape.name)
      return shape.name
    case 'literal':
      return typeof shape.value === 'string' ? quoted(shape.value) : String(shape.value)
    case 'enum': {
      const name = enumNames.get(shape.values.join('\n'))
      // An enumeration without a name becomes the type `string`, because a newer server can add values to the enumeration.
      if (name === undefined) return 'string'
      seen.add(name)
      return name
    }
    case 'list': {
      const of = written(shape.of, seen)
      return of.includes(' | ') && !of.startsWith('Record<') ? `(${of})[]` : `${of}[]`
    }
    case 'record':
      return `Record<string, ${written(shape.of, seen)}>`
    case 'union':
      return [...new Set(shape.of.map(each => written(each, seen)))].join(' | ')
    case 'object':
      return `{ ${Object.entries(shape.fields)
        .map(([name, field]) => `${name}: ${written(field.shape, seen)}`)
        .join('; ')} }`
    default:
      return shape.kind
  }
}

interface Context {
  readonly owner: string
  readonly isOfRequests: boolean
  readonly seen: Set<string>
}

/** Returns whether a field can be absent or null. A field that accepts any JSON can be absent; its type `unknown` already includes null. */
function presenceOf({ optional, nullable, shape }: Field, isOfRequests: boolean): { optional: boolean; nullable: boolean } {
  if (shape.kind === 'unknown') return { optional: true, nullable: false }
  return { optional, nullable: nullable && !(isOfRequests && optional) }
}

function fieldLine(name: string, field: Field, { owner, isOfRequests, seen }: Context): string {
  const special = presences[`${owner}.${name}`]
  const { optional, nullable } =
    special === undefined ? presenceOf(field, isOfRequests) : { optional: special !== 'present', nullable: special === 'nullable' }
  const type = `${written(field.shape, seen)}${nullable ? ' | null' : ''}`
  return `  ${name}${optional ? '?' : ''}: ${type}${optional && type !== 'unknown' ? ' | undefined' : ''}\n`
}

function declared(name: string, fields: Fields, context: Omit<Context, 'owner'>, base?: string): string {
  const lines = Object.entries(fields).map(([field, of]) => fieldLine(field, of, { ...context, owner: name }))
  const heritage = base === undefined ? '' : ` extends ${base}`
  return lines.length === 0 && base === undefined
    ? `export type ${name} = Record<string, unknown>\n`
    : `export interface ${name}${heritage} {\n${lines.join('')}}\n`
}

function enumeration(name: string, values: readonly string[]): string {
  const lines = values.map(value => `  ${constantNames[value] ?? pascal(value)}: ${quoted(value)},\n`)
  return `export const ${name} = {\n${lines.join('')}} as const\nexport type ${name} = (typeof ${name})[keyof typeof ${name}]\n`
}

const without = (fields: Fields, names: ReadonlySet<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)))

const tagOf = (fields: Fields, discriminator: string): string => {
  const tag = fields[discriminator]?.shape
  if (tag?.kind !== 'literal') throw new Error(`A variant has no literal '${discriminator}'.`)
  return String(tag.value)
}

function variants(name: string, discriminator: string, all: readonly Fields[], context: Omit<Context, 'owner'>): string {
  const { base, keepsTag, of } = variantNames[name]!
  const text = (fields: Fields, field: string): string =>
    fields[field] === undefined ? '' : fieldLine(field, fields[field], { ...context, owner: name })
  const same = (field: string): boolean => new Set(all.map(fields => text(fields, field))).size === 1
  const common = base === undefined ? {} : without(all[0]!, new Set(Object.keys(all[0]!).filter(field => !same(field))))
  const parts = base === undefined ? [] : [declared(base, common, context)]
  const members: string[] = []
  for (const fields of all) {
    const tag = tagOf(fields, discriminator)
    const variant = of[tag]
    if (variant === undefined) throw new Error(`The variant '${tag}' of ${name} has no name. Add one to variantNames.`)
    members.push(keepsTag ? variant : `({ ${discriminator}: ${quoted(tag)} } & ${variant})`)
    const own = without(fields, new Set([...Object.keys(common), ...(keepsTag ? [] : [discriminator])]))
    if (types.has(variant)) context.seen.add(variant)
    else parts.push(declared(variant, own, context, base))
  }
  return [...parts, `export type ${name} =\n  | ${members.join('\n  | ')}\n`].join('\n')
}

export function namesOf(name: string): readonly string[] {
  const named = variantNames[name]
  if (named === undefined) return [name]
  const own = Object.values(named.of).filter(variant => !types.has(variant))
  return [name, ...(named.base === undefined ? [] : [named.base]), ...own]
}

export function declaration(name: string): { readonly text: string; readonly refers: ReadonlySet<string> } {
  const { shape, isOfRequests } = types.get(name)!
  const seen = new Set<string>()
  const context = { isOfRequests, seen }
  const alias = aliases[name]
  if (alias !== undefined) {
    seen.add(alias)
    return { text: `export type ${name} = ${alias}\n`, refers: seen }
  }
  if (shape.kind === 'object') return { text: declared(name, shape.fields, context), refers: seen }
  if (shape.kind === 'enum') return { text: enumeration(name, shape.values), refers: seen }
  if (shape.kind === 'union' && shape.discriminator !== undefined && variantNames[name] !== undefined) {
    const all = shape.of.map(each => (each.kind === 'object' ? each.fields : {}))
    return { text: variants(name, shape.discriminator, all, context), refers: seen }
  }
  return { text: `export type ${name} = ${written(shape, seen)}\n`, refers: seen }
}

export const isEnumeration = (name: string): boolean => types.get(name)?.shape.kind === 'enum'
