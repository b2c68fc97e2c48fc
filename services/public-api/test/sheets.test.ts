import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPerson } from './people.ts'
import { type OpenedResources, openResources } from './resources.ts'
import { configuredRows } from './sheets/configured.ts'
import { dataRows } from './sheets/data.ts'
import { datasetRows } from './sheets/datasets.ts'
import { evaluationRows } from './sheets/evaluation.ts'
import { organizationRows } from './sheets/organization.ts'
import { promptRows } from './sheets/prompts.ts'
import type { Row } from './sheets/rows.ts'

const instanceKey = 'an-instance-key-of-tests'
const env = {
  SVC_MIGRATION_V4_WRITE_MODE: 'dual',
  SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
  SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'true',
  ADMIN_API_KEY: instanceKey,
}

let opened: OpenedResources
const known = new Map<string, string>()
beforeAll(async () => {
  opened = await openResources({ env })
  known.set('user', (await addPerson(opened.store, 'member@example.com', 'MEMBER')).id)
})
afterAll(() => opened[Symbol.asyncDispose]())

const filled = (text: string) => text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => known.get(name) ?? whole)
/** Replaces placeholders by the known ids. It leaves matchers unchanged. */
function withIds(value: unknown): unknown {
  if (typeof value === 'string') return filled(value)
  if (Array.isArray(value)) return value.map(withIds)
  if (typeof value !== 'object' || value === null || 'asymmetricMatch' in value) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withIds(inner)]))
}

const appErrors: Readonly<Record<number, string>> = { 403: 'ForbiddenError', 404: 'SvcNotFoundError', 409: 'SvcConflictError' }
const codes: Readonly<Record<number, unknown>> = {
  400: expect.stringMatching(/^invalid_(request|query|body)$/),
  403: 'access_denied',
  404: 'resource_not_found',
  409: 'conflict',
  412: 'invalid_request',
}
const text = expect.stringMatching(/./)
const issues = [{ code: text, message: text, path: expect.any(Array) }]

/** Returns the format of an error (contract §16.4, contract §19.1). */
function formOf(path: string, status: number): unknown {
  if (/^\/(v2\/eval|unstable\/dashboard)/.test(path)) return { message: text, code: codes[status] }
  if (/^\/scim\//.test(path)) return { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], detail: text, status }
  if (/^\/(organizations|api\/admin)|^\/projects\/[^/]+\/memberships/.test(path)) return { error: text }
  if (/^\/projects/.test(path)) return { message: text }
  if (path === '/ingestion') return { message: 'Invalid request data', errors: [text] }
  return { message: text, error: status === 400 ? expect.anything() : (appErrors[status] ?? text) }
}

const senders = {
  project: () => opened.send,
  other: () => opened.sendOther,
  organization: () => opened.sendAsOrganization,
  instance: () => (method: string, path: string, body?: unknown) =>
    opened.api.send(method, path, { authorization: `Bearer ${instanceKey}`, ...(body !== undefined && { body }) }),
}

async function check({ request, body, status, says, as, by = 'project' }: Row): Promise<void> {
  const [method, path] = filled(request).split(/ (.*)/s) as [string, string]
  const answer = await senders[by]()(method, path, withIds(body))
  expect(answer.status, answer.text).toBe(status)
  if (says !== undefined) expect(answer.json).toMatchObject(withIds(says) as object)
  if (status >= 400) expect(answer.json).toMatchObject(formOf(path, status) as object)
  const { message, error } = answer.json ?? {}
  if (status === 400 && message === 'Invalid request data' && Array.isArray(error)) expect(error.slice(0, 1)).toMatchObject(issues)
  if (as !== undefined) known.set(as, answer.json.id)
}

const named = (rows: readonly Row[]) =>
  rows.map(row => [`${row.request} ${row.body === undefined ? '' : JSON.stringify(row.body)}`.slice(0, 160), row] as const)

describe.each([
  ['prompts', promptRows],
  ['datasets', datasetRows],
  ['what is configured', configuredRows],
  ['evaluation, dashboards and skills', evaluationRows],
  ['organizations', organizationRows],
  ['scores, observations and metrics', dataRows],
] as const)('%s', (_, rows) => {
  test.each(named(rows))('%s', (__, row) => check(row))
})
