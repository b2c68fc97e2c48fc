// Types of the wire of the web app's own operations: who is signed in, and what they may do.
import { z } from 'zod'
import { responseTime, storedText } from '../fields/fields.ts'

const email = storedText.min(3).max(320)
/** How long a password may be is the server's to say, in a sentence. */
const password = storedText.max(1_024)
const token = storedText.max(200)

export const SignInRequest = z.object({ email, password })

/** With a password, that is the user's from now on. */
export const RedeemLinkRequest = z.object({ token, password: password.optional() })

/** `current` is wanted where there is a password already. */
export const ChangePasswordRequest = z.object({ current: password.optional(), password })

export const UserRole = z.enum(['OWNER', 'ADMIN', 'MEMBER', 'VIEWER', 'NONE'])

const SignedInUser = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  image: z.string().nullable(),
  /** False: signs in by links or an identity provider. */
  hasPassword: z.boolean(),
})

export const Me = z.object({
  user: SignedInUser,
  organizations: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      role: UserRole,
      /** Those that the user may see. */
      projects: z.array(z.object({ id: z.string(), name: z.string(), role: UserRole, retentionDays: z.int() })),
    }),
  ),
  /** When the session ends however much it is used. */
  expiresAt: responseTime,
})

/** What a page for signing in offers. */
export const SignInOptions = z.object({
  /** The name of the identity provider; null: none is set up. */
  oidc: z.object({ name: z.string() }).nullable(),
})
