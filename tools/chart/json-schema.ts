// Functions that build a JSON schema of the chart's values. Every node has a description. Objects reject unknown members.

export interface Node {
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly [keyword: string]: unknown
}

export const text = (description: string, more: Node = {}): Node => ({ type: 'string', description, ...more })
export const flag = (description: string): Node => ({ type: 'boolean', description })
export const whole = (description: string, minimum: number, more: Node = {}): Node => ({ type: 'integer', minimum, description, ...more })
export const choice = (description: string, values: readonly string[]): Node => ({ type: 'string', enum: values, description })
export const list = (description: string, items: Node): Node => ({ type: 'array', items, description })
/** Returns the schema of a value that Kubernetes itself validates. */
export const kubernetes = (description: string, type: 'object' | 'array' = 'object'): Node => ({ type, description })
export const texts = (description: string): Node => ({ type: 'object', additionalProperties: { type: 'string' }, description })
export const group = (properties: Readonly<Record<string, Node>>, description?: string): Node => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(description !== undefined && { description }),
})

export interface Documented {
  readonly path: string
  readonly says: string
}

/**
 * Returns the values below a node of a schema. If the schema does not list the members of an object, the whole object counts as one value.
 */
export function valuesOf(node: Node, path = ''): readonly Documented[] {
  if (node.properties === undefined) return [{ path, says: node.description ?? '' }]
  return Object.entries(node.properties).flatMap(([name, child]) => valuesOf(child, path === '' ? name : `${path}.${name}`))
}

export function at(values: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, name) => {
    return typeof found === 'object' && found !== null ? (found as Readonly<Record<string, unknown>>)[name] : undefined
  }, values)
}
