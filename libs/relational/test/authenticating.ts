// Creates an authenticator with a key store. The test chooses the results of the key store.
import { AppError } from '@svc-server/errors'
import { manualClock } from '@svc-server/testkit'
import { type AuthenticationEvent, type AuthenticatorOptions, createAuthenticator } from '../src/authentication/authenticator.ts'
import type { KeyChange, KeyScope } from '../src/keys/key-types.ts'

export const scope: KeyScope = { accessLevel: 'project', orgId: 'o', projectId: 'p', apiKeyId: 'k', publicKey: 'pk-svc-1' }
export const basic = (publicKey = 'pk-svc-1', secretKey = 'sk-svc-1') =>
  `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
export const down = () => new AppError('relational_unavailable', 'The relational store did not respond.')

export const setup = (options: AuthenticatorOptions = {}) => {
  const clock = manualClock()
  const events: AuthenticationEvent[] = []
  const asked: string[] = []
  const listeners: ((change: KeyChange) => void)[] = []
  let answer = async (_publicKey: string, secretKey: string): Promise<KeyScope | null> => (secretKey === 'sk-svc-1' ? scope : null)
  const authenticate = createAuthenticator(
    {
      verify(publicKey, secretKey) {
        asked.push(`${publicKey}:${secretKey}`)
        return answer(publicKey, secretKey)
      },
      onChange(listener) {
        listeners.push(listener)
        return () => {}
      },
    },
    { clock: clock.now, onEvent: event => events.push(event), ...options },
  )
  return {
    clock,
    events,
    asked,
    authenticate,
    answerWith: (next: typeof answer) => (answer = next),
    change: (change: KeyChange) => listeners.forEach(listener => void listener(change)),
  }
}
