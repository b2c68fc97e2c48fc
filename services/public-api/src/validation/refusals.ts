// Cuts messages to a maximum length, because they quote the body, which can be long.

import { maxIssues } from '@svc-server/api/fields/limits'
import type { z } from 'zod'

export interface Issue {
  readonly code: string
  readonly message: string
  readonly path: readonly (string | number)[]
}

const maxMessage = 300

const cut = (text: string, length: number) => (text.length <= length ? text : `${text.slice(0, length)}…`)

/** Issues in the form that clients know (contract §16.4). `at` is prepended to each path. */
export const issuesOf = (error: z.ZodError, at: readonly (string | number)[] = []): readonly Issue[] =>
  error.issues.slice(0, maxIssues).map(issue => ({
    code: issue.code ?? 'custom',
    message: cut(issue.message, maxMessage),
    path: [...at, ...fieldOf(issue).map(part => (typeof part === 'number' ? part : cut(String(part), 100)))],
  }))

const fieldOf = (issue: z.core.$ZodIssue) => (issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path)

/** Writes the issues in one line, such as `body.startTime: Expected …; body.level: …`. */
export const sentenceOf = (issues: readonly Issue[]): string =>
  cut(issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; '), 500)

export const refused = (message: string, path: readonly (string | number)[]): readonly Issue[] => [{ code: 'custom', message, path }]
