// Gives a name to each object in a union. If an object has no name, client generators choose inconsistent names, generate the object twice,
// or leave it unnamed.
import type { JsonSchema } from './fields/json-schema.ts'

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

export const pascal = (text: string) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map(word =>
      word === word.toUpperCase() ? word.slice(0, 1) + word.slice(1).toLowerCase() : word.slice(0, 1).toUpperCase() + word.slice(1),
    )
    .join('')

const propertiesOf = (schema: unknown): Json | undefined => {
  const properties = isObject(schema) ? schema['properties'] : undefined
  return isObject(properties) ? properties : undefined
}

const isMap = (schema: unknown) => isObject(schema) && schema['type'] === 'object' && propertiesOf(schema) === undefined

/**
 * Returns the name of the required property whose constant value identifies each member of the union. Returns undefined if there is no such
 * property.
 */
function discriminatorOf(members: readonly unknown[]): string | undefined {
  const constantOf = (member: unknown, key: string) => {
    const property = propertiesOf(member)?.[key]
    const { required } = member as { readonly required?: readonly string[] }
    return isObject(property) && required?.includes(key) ? property['const'] : undefined
  }
  return Object.keys(propertiesOf(members[0]) ?? {}).find(key => {
    const constants = members.map(member => constantOf(member, key))
    return constants.every(constant => typeof constant === 'string') && new Set(constants).size === members.length
  })
}

export interface NamedMembers {
  /** All components: the components that `nameMembers` was given, and the objects in unions. */
  readonly components: ReadonlyMap<string, JsonSchema>
  /**
   * Converts a schema that is not a component itself. If the schema contains a union of objects, these objects become components whose
   * names begin with `name`.
   */
  named(schema: JsonSchema, name: string): JsonSchema
}

/** Throws if two types have one name. */
export function nameMembers(components: ReadonlyMap<string, JsonSchema>): NamedMembers {
  const named = new Map<string, JsonSchema>()
  const define = (name: string, schema: Json) => {
    const before = named.get(name) ?? components.get(name)
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema)) throw new Error(`Two types have the name ${name}.`)
    named.set(name, schema as JsonSchema)
    return { $ref: `#/components/schemas/${name}` }
  }

  function union(keyword: string, members: readonly unknown[], name: string): Json {
    const objects = members.filter(member => propertiesOf(member) !== undefined)
    const key = objects.length > 1 ? discriminatorOf(objects) : undefined
    const nameOf = (member: unknown) => {
      if (objects.length === 1)
        return members.length === 1 || members.some(each => isObject(each) && each['type'] === 'null') ? name : `${name}Object`
      const property = key === undefined ? undefined : propertiesOf(member)?.[key]
      return `${name}${isObject(property) ? pascal(String(property['const'])) : `Option${objects.indexOf(member) + 1}`}`
    }
    const kinds = members.filter(member => !isObject(member) || member['type'] !== 'null').length
    const written = members.map(member => {
      // Java generators produce no code for a union of a map and other types, so the schema of the map's values is left out.
      if (kinds > 1 && isMap(member)) return { type: 'object' }
      if (kinds > 1 && isObject(member) && isMap(member['items'])) return { ...member, items: { type: 'object' } }
      if (isObject(member) && member['type'] === 'null') return member
      if (!objects.includes(member)) return walked(member, name)
      const own = nameOf(member)
      return define(own, walked(member, own) as Json)
    })
    if (key === undefined || objects.length !== members.length) return { [keyword]: written }
    const mapping = objects.map((member, i) => [(propertiesOf(member)![key] as Json)['const'], (written[i] as Json)['$ref']])
    return { [keyword]: written, discriminator: { propertyName: key, mapping: Object.fromEntries(mapping) } }
  }

  function walked(value: unknown, name: string): unknown {
    if (!isObject(value)) return value
    const { type, ...rest } = value
    // A `type` that lists several types besides null becomes `anyOf`, because few generators support such a list.
    const types = Array.isArray(type) ? type.filter(each => each !== 'null') : []
    if (types.length > 1) return { ...rest, anyOf: (type as readonly unknown[]).map(each => ({ type: each })) }
    // Most languages of generated clients have no class for a type that is always null, so the type is left out.
    if (type === 'null') return { ...rest, description: 'Always null.' }
    const entries = Object.entries(value).flatMap(([key, of]) => {
      if ((key === 'oneOf' || key === 'anyOf') && Array.isArray(of)) return Object.entries(union(key, of, name))
      if (key === 'properties' && isObject(of))
        return [[key, Object.fromEntries(Object.entries(of).map(([at, each]) => [at, walked(each, name + pascal(at))]))]]
      if (key === 'items') return [[key, walked(of, `${name}Item`)]]
      if (key === 'additionalProperties') return [[key, walked(of, `${name}Value`)]]
      return [[key, of]]
    })
    return Object.fromEntries(entries)
  }

  for (const [name, schema] of components) named.set(name, walked(schema, name) as JsonSchema)
  return { components: named, named: (schema, name) => walked(schema, name) as JsonSchema }
}
