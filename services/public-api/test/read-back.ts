// Writes random valid bodies, and reads every field back from a second instance of the API. The tests run on PGlite or on PostgreSQL, and
// at night on both. On PostgreSQL, the second instance is a separate process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Operation } from '@svc-server/api/operation'
import { openDirectoryBlobs } from '@svc-server/blob-store/directory'
import { createKeyStore } from '@svc-server/relational/key-store'
import { openEmbeddedTestStore, openTestStore } from '@svc-server/relational/test-stores'
import { sized, temporaryDirectory } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect } from 'vitest'
import { basic, startApi } from './api.ts'
import { takenBy } from './arbitrary.ts'
import { type OpenedResources, openResources } from './resources.ts'

const adminKey = 'an-instance-key-of-tests'
const env = { ADMIN_API_KEY: adminKey }
const salt = 'a-salt-of-sixteen-characters'

type By = 'project' | 'organization' | 'instance'
export type Json = Readonly<Record<string, unknown>>

export interface Instances {
  /** The first instance, which receives the writes. */
  readonly opened: OpenedResources
  readonly authorizations: Readonly<Record<By, string>>
  /** Reads from the second instance. */
  read(path: string, by: By): Promise<{ readonly status: number; readonly json: Json }>
  close(): Promise<void>
}

async function instancesOf(opened: OpenedResources, port: number, closeOthers: () => Promise<void>): Promise<Instances> {
  const keys = createKeyStore(opened.store, { salt })
  const pairOf = async (owner: { projectId: string } | { orgId: string }) => {
    const { publicKey, secretKey } = await keys.createKeyPair({ owner })
    return basic(publicKey, secretKey)
  }
  const authorizations = {
    project: await pairOf({ projectId: 'project-0' }),
    organization: await pairOf({ orgId: 'org' }),
    instance: `Bearer ${adminKey}`,
  }
  return {
    opened,
    authorizations,
    async read(path, by) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: authorizations[by] } })
      return { status: response.status, json: (await response.json()) as Json }
    },
    close: closeOthers,
  }
}

async function onEmbedded(): Promise<Instances> {
  const media = await temporaryDirectory('svc-media-')
  const blobs = await openDirectoryBlobs(media.path)
  const opened = await openResources({ store: await openEmbeddedTestStore(), blobs, env })
  const other = await startApi({ relational: opened.store, keys: createKeyStore(opened.store, { salt }), blobs, env })
  return instancesOf(opened, other.port, async () => {
    await other[Symbol.asyncDispose]()
    await opened[Symbol.asyncDispose]()
    await media.remove()
  })
}

async function onPostgres(): Promise<Instances> {
  const store = await openTestStore()
  const media = await temporaryDirectory('svc-media-')
  const blobs = await openDirectoryBlobs(media.path)
  const opened = await openResources({ store, blobs, env })
  const child = spawn(process.execPath, [join(import.meta.dirname, 'other-process.ts'), store.url, adminKey, media.path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [port] = await Promise.race([once(child.stdout, 'data'), ended.then(() => Promise.reject(new Error('It ended.')))])
  return instancesOf(opened, Number(port), async () => {
    child.stdin.end()
    await ended
    await opened[Symbol.asyncDispose]()
    await media.remove()
  })
}

const instances = {
  embedded: { kind: 'PGlite', open: onEmbedded },
  postgres: { kind: 'PostgreSQL, from another process', open: onPostgres },
} as const

/** The nightly run reads back from both kinds of instances. Ordinary runs read back only from the kind that the parameter `quick` names. */
export const instanceKinds = (quick: keyof typeof instances): readonly (typeof instances)[typeof quick][] =>
  sized(Object.values(instances), [instances[quick]])

export interface Written {
  readonly operation: Operation
  /** The key that writes. Default: the project's key. */
  readonly by?: By
  /** The key that reads. Default: the key that writes. */
  readonly readBy?: By
  readonly params?: () => Readonly<Record<string, string>>
  /** Generators for some fields. Random text would rarely be valid in these fields. */
  readonly with: () => Readonly<Record<string, fc.Arbitrary<unknown>>>
  /** The path from which the test reads. A path that does not begin with `/api/` is below `/api/public`. */
  readonly readFrom: (made: Json) => string
  /** Selects the written object in the response. Default: the whole response. */
  readonly from?: (read: Json, made: Json) => Json | undefined
  /** For each field whose stored value differs from the sent value: a function that returns the expected stored value. */
  readonly otherwise?: Readonly<Record<string, (given: unknown, body: Json) => unknown>>
  /** For each field that has a different form in a response than in the body: a function that reads it from the response. */
  readonly shown?: Readonly<Record<string, (read: Json) => unknown>>
  /** Fields that no response contains. */
  readonly hidden?: readonly string[]
}

/** False if the body has text that the stores refuse or replace (NUL, lone surrogates). */
const isStorable = (body: unknown) => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(body))

const whole = (path: string) => (path.startsWith('/api/') ? path : `/api/public${path}`)

/** Writes bodies and reads them back. A field with null counts as absent, so the test does not read it back. */
export async function checkReadBack(all: Instances, written: Written, runs = sized(150, 6)): Promise<void> {
  const { operation, by = 'project', readBy = by, params = () => ({}), from = (read: Json) => read } = written
  const { otherwise = {}, shown = {}, hidden = [] } = written
  const path = Object.entries(params()).reduce(
    (text, [key, value]) => text.replace(`{${key}}`, encodeURIComponent(String(value))),
    operation.path as string,
  )
  const more = fc.record(written.with())
  const body = fc.tuple(takenBy(operation.body!), more).map(([made, fields]) => ({ ...(made as object), ...fields }) as Json)
  const refusals = new Map<string, number>()
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(body, async given => {
      fc.pre(isStorable(given))
      const sent = JSON.parse(JSON.stringify(given)) as Json
      const answer = await all.opened.api.send(operation.method, path, { authorization: all.authorizations[by], body: given })
      expect(answer.status, answer.text).toBeLessThan(500)
      if (answer.status >= 400) {
        refusals.set(answer.text, (refusals.get(answer.text) ?? 0) + 1)
        return
      }
      accepted++
      const read = await all.read(whole(written.readFrom(answer.json)), readBy)
      expect(read.status, JSON.stringify(read.json)).toBe(200)
      const stored = from(read.json, answer.json)!
      for (const [key, value] of Object.entries(sent)) {
        if (value === null || hidden.includes(key)) continue
        const found = shown[key] === undefined ? stored[key] : shown[key](stored)
        expect(found, key).toEqual(otherwise[key] === undefined ? value : otherwise[key](value, sent))
      }
    }),
    { numRuns: runs },
  )
  const commonest = [...refusals].sort(([, a], [, b]) => b - a)[0]
  expect(accepted, `bodies that are accepted; the commonest refusal: ${commonest}`).toBeGreaterThan(runs / 10)
}
