// The key of the instance's administrator (contract §16.3). The code compares keys in constant time. A caller that sends wrong keys must
// wait before the next attempt, as with all other credentials.
import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { AppError } from '@svc-server/errors'
import { createBackoff } from '@svc-server/relational/backoff'

export interface InstanceKey {
  /** Throws `instance_key_unset`, `instance_key_unknown` and `key_backoff`. */
  require(authorization: string | undefined, address: string | undefined): void
  /**
   * Returns undefined if the request uses a project's key. Throws the same errors as the method `require`. Also throws `bad_request` if the
   * request names no project.
   */
  projectOf(headers: IncomingMessage['headers'], address: string | undefined): string | undefined
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/** `key`: ADMIN_API_KEY. */
export function createInstanceKey(key: string | undefined, clock: () => number): InstanceKey {
  const expected = key === undefined ? undefined : digest(key)
  const backoff = createBackoff({ clock, refusal: { code: 'key_backoff', message: 'Too many wrong keys from this address.' } })

  function requireKey(authorization: string | undefined, address = ''): void {
    if (expected === undefined)
      throw new AppError('instance_key_unset', 'ADMIN_API_KEY is not set, so the instance cannot be administered over HTTP.')
    const given = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
    if (given === undefined) throw new AppError('instance_key_unknown', 'Unauthorized: the instance key is missing.')
    const actual = digest(given)
    const end = backoff.attempt(address, 'instance', actual.toString('hex'))
    const isRight = timingSafeEqual(actual, expected)
    end(isRight ? 'let in' : 'wrong')
    if (!isRight) throw new AppError('instance_key_unknown', 'Unauthorized: the instance key is wrong.')
  }

  return {
    require: requireKey,
    projectOf(headers, address) {
      const again = headers['x-svc-admin-api-key']
      if (again === undefined) return undefined
      requireKey(headers.authorization, address)
      requireKey(`Bearer ${String(again)}`, address)
      const projectId = headers['x-svc-project-id']
      if (typeof projectId !== 'string' || projectId === '') throw new AppError('bad_request', 'The header x-svc-project-id is missing.')
      return projectId
    },
  }
}
