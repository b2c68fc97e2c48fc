// Variables of a prompt. Mustache is used unchanged but for its escaping of HTML: a prompt is no page.
import mustache from 'mustache'

/** Values of variables by their names. */
export type Variables = Readonly<Record<string, unknown>>

let writer: InstanceType<typeof mustache.Writer> | undefined

const unescaped = (value: unknown): string => String(value)

/** The text with its variables replaced; one without a value becomes nothing. */
export function render(template: string, variables: Variables = {}): string {
  writer ??= new mustache.Writer()
  return writer.render(template, variables, undefined, { escape: unescaped })
}
