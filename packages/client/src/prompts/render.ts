// Replaces the variables of a prompt with Mustache, without HTML escaping, because a prompt is not a page.
import mustache from 'mustache'

/** Values of variables by their names. */
export type Variables = Readonly<Record<string, unknown>>

let writer: InstanceType<typeof mustache.Writer> | undefined

const unescaped = (value: unknown): string => String(value)

/** The text with its variables replaced. A variable without a value is replaced by an empty text. */
export function render(template: string, variables: Variables = {}): string {
  writer ??= new mustache.Writer()
  return writer.render(template, variables, undefined, { escape: unescaped })
}
