// Reads the environment once, against a schema, and refuses to start with sentences an operator can act on (architecture §10).
import { AppError } from '@svc-server/errors'
import type { z } from 'zod'
import { hidden, redactText } from '../text/secrets.ts'
import { nearestName } from './nearest-name.ts'
import { describeVariable, type VariableDescription } from './variable.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface LoadOptions {
  /** Names the service in the error. */
  readonly service: string
  /** Variables that other parts of the process read: they are not unknown. */
  readonly alsoKnown?: readonly string[]
}

export interface LoadedConfig<S extends z.ZodObject> {
  readonly config: z.output<S>
  /** Names that start with SVC_ and that nobody reads. */
  readonly unknown: readonly string[]
  /** The same as sentences for the log, with the name that was probably meant. */
  readonly warnings: readonly string[]
  /** The effective configuration as text, by variable; secrets and passwords in URLs are hidden. */
  readonly redacted: Readonly<Record<string, string>>
}

/** Compose files and charts pass a variable that is not set as an empty one. */
const given = (env: Environment, name: string): string | undefined => {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

const sentence = (variable: VariableDescription | undefined, value: string | undefined, issue: z.core.$ZodIssue): string => {
  // An issue without a variable comes from a check over several of them and is a sentence already.
  if (variable === undefined) return issue.message
  const expected = issue.code === 'custom' && !issue.message.startsWith('expected ') ? issue.message : `expected ${variable.valid}`
  if (value === undefined) return `${variable.name} is not set: ${expected}.`
  return `${variable.name}=${variable.secret ? hidden : JSON.stringify(redactText(value))}: ${expected}.`
}

/** Names in the environment that start with SVC_ and are not known. */
export const unknownVariables = (env: Environment, known: readonly string[]): readonly string[] =>
  Object.keys(env)
    .filter(name => name.startsWith('SVC_') && !known.includes(name))
    .sort()

/**
 * The configuration of a service. Empty variables count as not set; surrounding blanks are ignored.
 * Throws `config_invalid` that lists every wrong variable with its value and what is valid.
 */
export const loadConfig = <S extends z.ZodObject>(schema: S, env: Environment, options: LoadOptions): LoadedConfig<S> => {
  const names = Object.keys(schema.shape)
  const variables = new Map(names.map(name => [name, describeVariable(name, schema.shape[name] as z.ZodType)]))
  const values = Object.fromEntries(names.map(name => [name, given(env, name)]))

  const parsed = schema.safeParse(values)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(issue => {
      const name = String(issue.path[0] ?? '')
      return sentence(variables.get(name), values[name], issue)
    })
    const message = [`The configuration of ${options.service} is invalid:`, ...problems.map(problem => `- ${problem}`)].join('\n')
    const first = parsed.error.issues[0]?.path[0]
    throw new AppError('config_invalid', message, { service: options.service, variable: first === undefined ? undefined : String(first) })
  }

  const known = [...names, ...(options.alsoKnown ?? [])]
  const unknown = unknownVariables(env, known)
  const warnings = unknown.map(name => {
    const nearest = nearestName(name, known)
    return `${name} is not a variable of ${options.service} and has no effect${nearest === undefined ? '.' : `. Did you mean ${nearest}?`}`
  })
  const printed = Object.entries(parsed.data).filter(([, value]) => value !== undefined)
  const redacted = Object.fromEntries(printed.map(([name, value]) => [name, variables.get(name)?.print(value) ?? '']))
  return { config: parsed.data, unknown, warnings, redacted }
}
