// A skill's front matter: YAML at the beginning of its SKILL.md (contract §18.12).
import { parse } from 'yaml'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'
import { storedJson } from '../../validation/stored-json.ts'

export interface FrontMatter {
  readonly name: string
  readonly description: string
  readonly frontmatter: Readonly<Record<string, unknown>>
}

const maxLength = 65_536
const pattern = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/

const refuse = (message: string): never => {
  throw new InvalidBody(refused(message, ['files']))
}

function yamlOf(text: string): unknown {
  try {
    // Aliases are refused, because a single line with aliases could fill the memory. The result is stored, so it must be JSON.
    return storedJson(JSON.stringify(parse(text, { maxAliasCount: 0, logLevel: 'silent' }) ?? null))
  } catch {
    return refuse('The front matter of SKILL.md is not valid YAML.')
  }
}

/** Throws InvalidBody. */
export function readFrontMatter(text: string): FrontMatter {
  const [, yaml] = pattern.exec(text.slice(0, maxLength)) ?? refuse('SKILL.md must begin with front matter: YAML between two lines of ---.')
  const frontmatter = yamlOf(yaml!)
  if (typeof frontmatter !== 'object' || frontmatter === null || Array.isArray(frontmatter))
    return refuse('The front matter of SKILL.md must have a name and a description.')
  const { name, description } = frontmatter as Readonly<Record<string, unknown>>
  if (typeof name !== 'string' || !/^[a-z0-9-]{1,64}$/.test(name))
    return refuse('The name in SKILL.md must have 1 to 64 lower-case letters, digits and hyphens.')
  if (typeof description !== 'string' || description.trim() === '') return refuse('The description in SKILL.md must not be empty.')
  return { name, description, frontmatter: frontmatter as FrontMatter['frontmatter'] }
}
