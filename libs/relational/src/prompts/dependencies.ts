// Finds the references in a prompt's text to other prompts, and resolves them when the prompt is read.
import { AppError } from '@svc-server/errors'
import { textsOf, withTexts } from './rules.ts'

export interface PromptReference {
  readonly name: string
  /** A reference contains either a version or a label. */
  readonly version?: number
  readonly label?: string
}

interface Identity {
  readonly id: string
  readonly name: string
  readonly version: number
}

export interface FoundPrompt extends Identity {
  readonly type: string
  readonly prompt: unknown
}

export interface ResolutionGraph {
  readonly root: Identity
  /** Maps each prompt id to the prompts that its text refers to. */
  readonly dependencies: Readonly<Record<string, readonly Identity[]>>
}

export type FindPrompt = (reference: PromptReference) => Promise<FoundPrompt | undefined>

const maxDepth = 5
/** Without a limit, prompts that each refer to another prompt several times could become extremely large. */
const maxCharacters = 10_000_000
const tag = /@@@svcPrompt:(.*?)@@@/gs

function referenceOf(fields: string): PromptReference | undefined {
  const given = new Map(fields.split('|').map(field => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)]))
  const [name, version, label] = [given.get('name'), given.get('version'), given.get('label')]
  if (name === undefined || name === '') return undefined
  if (version !== undefined && /^\d{1,9}$/.test(version)) return { name, version: Number(version) }
  return label === undefined ? undefined : { name, label }
}

const keyOf = ({ name, version, label }: PromptReference) => JSON.stringify([name, version ?? null, label ?? null])

/** Distinct references. A tag without a prompt name is ordinary text. */
export function referencesIn(prompt: unknown): readonly PromptReference[] {
  const found = textsOf(prompt)
    .flatMap(text => [...text.matchAll(tag)].map(match => referenceOf(match[1]!)))
    .filter(reference => reference !== undefined)
  return [...new Map(found.map(reference => [keyOf(reference), reference])).values()]
}

const described = ({ name, version, label }: PromptReference) =>
  version === undefined ? `${name} (label ${label})` : `${name} (version ${version})`

const identityOf = ({ id, name, version }: FoundPrompt): Identity => ({ id, name, version })

export interface ResolvedPrompt {
  readonly prompt: unknown
  /** Null if the prompt refers to no other prompt. */
  readonly graph: ResolutionGraph | null
}

/**
 * Replaces tags with the texts of the referenced prompts, at all levels. Throws `bad_request` if a referenced prompt is missing or is not a
 * text prompt, if the references form a cycle, or if they have more than five levels.
 */
export async function resolveReferences(root: FoundPrompt, find: FindPrompt): Promise<ResolvedPrompt> {
  const dependencies: Record<string, readonly Identity[]> = {}
  const known = new Map<string, FoundPrompt>()
  const resolved = new Map<string, unknown>()

  async function found(reference: PromptReference, parent: FoundPrompt): Promise<FoundPrompt> {
    const child = known.get(keyOf(reference)) ?? (await find(reference))
    if (child === undefined)
      throw new AppError('bad_request', `Prompt ${parent.name} refers to ${described(reference)}, which does not exist.`)
    if (child.type !== 'text')
      throw new AppError('bad_request', `Prompt ${parent.name} refers to ${child.name}, which is not a text prompt.`)
    known.set(keyOf(reference), child)
    return child
  }

  async function resolve(parent: FoundPrompt, path: readonly string[]): Promise<unknown> {
    const done = resolved.get(parent.id)
    if (done !== undefined) return done
    const references = referencesIn(parent.prompt)
    if (references.length > 0 && path.length > maxDepth)
      throw new AppError('bad_request', `Prompts refer to each other over more than ${maxDepth} levels: ${path.join(' → ')}.`)
    const texts = new Map<string, string>()
    const children: Identity[] = []
    for (const reference of references) {
      const child = await found(reference, parent)
      if (path.includes(child.name))
        throw new AppError('bad_request', `Circular dependency between prompts: ${[...path, child.name].join(' → ')}.`)
      children.push(identityOf(child))
      texts.set(keyOf(reference), String(await resolve(child, [...path, child.name])))
    }
    if (children.length > 0) dependencies[parent.id] = [...new Map(children.map(child => [child.id, child])).values()]
    const replaced = withTexts(parent.prompt, text => {
      const references = [...text.matchAll(tag)].map(match => referenceOf(match[1]!))
      const characters = references.reduce((sum, each) => sum + (each === undefined ? 0 : texts.get(keyOf(each))!.length), text.length)
      if (characters > maxCharacters)
        throw new AppError(
          'bad_request',
          `Together with the prompts that it refers to, prompt ${parent.name} has more than ${maxCharacters} characters.`,
        )
      return text.replaceAll(tag, (whole, fields: string) => {
        const reference = referenceOf(fields)
        return reference === undefined ? whole : texts.get(keyOf(reference))!
      })
    })
    resolved.set(parent.id, replaced)
    return replaced
  }

  const prompt = await resolve(root, [root.name])
  return { prompt, graph: dependencies[root.id] === undefined ? null : { root: identityOf(root), dependencies } }
}
