// Replaces a prompt's variables with Mustache, but without HTML escaping, because a prompt is not an HTML page.
import mustache from 'mustache'

/** Values for variables, by name. */
export type Variables = Readonly<Record<string, unknown>>

let writer: InstanceType<typeof mustache.Writer> | undefined

const unescaped = (value: unknown): string => String(value)

/** A variable without a value becomes an empty text. */
export function render(template: string, variables: Variables = {}): string {
  writer ??= new mustache.Writer()
  return writer.render(template, variables, undefined, { escape: unescaped })
}
