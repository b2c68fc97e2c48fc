import { expect, test } from 'vitest'
import { createSignInGuesses } from './guesses.ts'

test('passwords of one address are verified one at a time, alternating with those of other addresses', async () => {
  const guesses = createSignInGuesses(() => 0)
  const begun: string[] = []
  const held = Promise.withResolvers<boolean>()
  const attempt = (address: string, email: string, verify = async () => true) =>
    guesses.attempt({ address, email, password: 'x' }, async () => {
      begun.push(email)
      return verify()
    })
  const flood = Array.from({ length: 20 }, (_, at) => attempt('192.0.2.1', `flood ${at}`, () => held.promise).catch(error => error.code))
  const own = attempt('192.0.2.2', 'own')
  expect(await own).toBe(true)
  expect(begun).toEqual(['flood 0', 'own'])
  held.resolve(false)
  const outcomes = await Promise.all(flood)
  expect(outcomes.filter(each => each === false)).toHaveLength(9)
  expect(outcomes.filter(each => each === 'overloaded')).toHaveLength(11)
})
