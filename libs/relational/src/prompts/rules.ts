// Rules for names, labels, and contents of prompts (contract §18.1).
import { AppError } from '@svc-server/errors'

/** Only the server moves this label. */
export const latestLabel = 'latest'
/** By default, clients read the version with this label. */
export const productionLabel = 'production'

const reservedNames = ['new', 'metrics', 'prompt-detail']
const labelPattern = /^[a-z0-9_\-.]{1,36}$/

export type PromptType = 'text' | 'chat'

const refuse = (message: string) => new AppError('bad_request', message)

export function requirePromptName(name: string): void {
  if (name === '' || name.length > 255 || name !== name.trim())
    throw refuse('A prompt name must have 1 to 255 characters and no spaces at its ends.')
  if (/<[^>]*>|[|\0]/.test(name) || !name.isWellFormed())
    throw refuse('A prompt name must not contain HTML tags, the character | or invalid characters.')
  if (name.startsWith('/') || name.endsWith('/') || name.includes('//'))
    throw refuse('In a prompt name, / separates folders. A name must not begin or end with /, or contain //.')
  if (reservedNames.includes(name)) throw refuse(`The prompt name ${name} is reserved.`)
}

export function requireLabels(labels: readonly string[]): void {
  const wrong = labels.find(label => !labelPattern.test(label))
  if (wrong !== undefined)
    throw refuse(`The label ${JSON.stringify(wrong.slice(0, 40))} must have 1 to 36 characters of a-z, 0-9, _, - and .`)
}

/** The text of a text prompt, or the contents of the messages of a chat prompt. */
export function textsOf(prompt: unknown): readonly string[] {
  if (typeof prompt === 'string') return [prompt]
  if (!Array.isArray(prompt)) return []
  return prompt.flatMap((message: unknown) => {
    const { content } = Object(message) as { readonly content?: unknown }
    return typeof content === 'string' ? [content] : []
  })
}

export function withTexts(prompt: unknown, change: (text: string) => string): unknown {
  if (typeof prompt === 'string') return change(prompt)
  if (!Array.isArray(prompt)) return prompt
  return prompt.map((message: unknown) => {
    const { content } = Object(message) as { readonly content?: unknown }
    return typeof content === 'string' ? { ...(message as object), content: change(content) } : message
  })
}

/** Throws `bad_request` if a placeholder and a variable have the same name. */
export function requireDistinctPlaceholders(prompt: unknown): void {
  if (!Array.isArray(prompt)) return
  const variables = new Set(textsOf(prompt).flatMap(text => [...text.matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g)].map(match => match[1]!)))
  for (const message of prompt as readonly unknown[]) {
    const { type, name } = Object(message) as { readonly type?: unknown; readonly name?: unknown }
    if (type === 'placeholder' && typeof name === 'string' && variables.has(name))
      throw refuse(`${name} names both a placeholder and a variable: rename one of them.`)
  }
}
