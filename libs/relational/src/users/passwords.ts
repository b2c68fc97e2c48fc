// Password hashes: argon2id with OWASP's minimum parameters. A hash takes 19 MiB and 30 ms of a thread, so the number of concurrent hashes
// is limited. A bcrypt hash of v3 is kept until the password changes, because v3 can read only bcrypt hashes.

import { hash, verify } from '@node-rs/argon2'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'
import { AppError } from '@svc-server/errors'

const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const atOnce = 2
const maxWaiting = 50

const passwordLength = { min: 8, max: 256 } as const

let running = 0
const waiting: (() => void)[] = []

async function oneOfFew<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= maxWaiting) throw new AppError('overloaded', 'Too many sign-ins are in progress.')
    await new Promise<void>(resolve => waiting.push(resolve))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}

/** Throws `bad_request` if the password is too short or too long, and `overloaded` if too many hashes are waiting. */
export async function hashPassword(password: string): Promise<string> {
  const { min, max } = passwordLength
  if (password.length < min || password.length > max)
    throw new AppError('bad_request', `The password has ${password.length} characters, but must have ${min} to ${max}.`)
  return oneOfFew(() => hash(password, parameters))
}

/**
 * A dummy hash for users without a password. With this hash, a failed sign-in of such a user takes as long as a failed sign-in of any other
 * user.
 */
let nobodys: Promise<string> | undefined

const isBcrypt = (encoded: string) => /^\$2[aby]\$/.test(encoded)

/**
 * A null hash gives false, but takes as long as a comparison. A hash of an unknown kind also gives false. Throws `overloaded` if too many
 * hashes are waiting.
 */
export async function verifyPassword(password: string, encoded: string | null): Promise<boolean> {
  if (password.length > passwordLength.max) return false
  if (encoded !== null && isBcrypt(encoded)) return oneOfFew(() => verifyBcrypt(password, encoded).catch(() => false))
  const known = encoded?.startsWith('$argon2') === true ? encoded : undefined
  nobodys ??= hash('nobody has it', parameters)
  const against = known ?? (await nobodys)
  const matches = await oneOfFew(() => verify(against, password).catch(() => false))
  return matches && known !== undefined
}
