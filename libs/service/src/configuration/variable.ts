// What a schema says about one variable, read through its wrappers (default, optional, prefault).
import type { z } from 'zod'
import { hidden, isSecretName, redactText } from '../text/secrets.ts'

export interface VariableDescription {
  readonly name: string
  readonly description: string
  readonly valid: string
  readonly secret: boolean
  readonly required: boolean
  /** As an operator would write it; absent when there is none. */
  readonly defaultText?: string
  print(value: unknown): string
}

interface Def {
  readonly type: string
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly defaultValue?: unknown
  readonly entries?: Readonly<Record<string, string | number>>
}

const definitionOf = (schema: z.ZodType): Def => schema._zod.def as unknown as Def

const layersOf = (schema: z.ZodType): readonly z.ZodType[] => {
  const layers: z.ZodType[] = []
  for (let layer: z.ZodType | undefined = schema; layer !== undefined; ) {
    layers.push(layer)
    const def: Def = definitionOf(layer)
    layer = def.innerType ?? def.in
  }
  return layers
}

const printPlain = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

export const describeVariable = (name: string, schema: z.ZodType): VariableDescription => {
  const layers = layersOf(schema)
  const metas = layers.map(layer => layer.meta() ?? {})
  const find = (key: string): unknown => metas.find(meta => meta[key] !== undefined)?.[key]
  const entries = layers.map(definitionOf).find(def => def.entries !== undefined)?.entries
  const withDefault = layers.map(definitionOf).find(def => def.type === 'default' || def.type === 'prefault')
  const secret = find('secret') === true || isSecretName(name)
  const printBlock = (find('print') as ((value: unknown) => string) | undefined) ?? printPlain
  const print = (value: unknown) => (secret ? hidden : redactText(printBlock(value)))

  // A default that stands before parsing is text as the operator would write it already.
  const printDefault = (value: unknown) => (typeof value === 'string' && !secret ? redactText(value) : print(value))

  return {
    name,
    description: String(find('description') ?? ''),
    valid: String(find('valid') ?? (entries === undefined ? 'text' : `one of ${Object.values(entries).join(', ')}`)),
    secret,
    required: !schema.safeParse(undefined).success,
    ...(withDefault === undefined ? {} : { defaultText: printDefault(withDefault.defaultValue) }),
    print,
  }
}
