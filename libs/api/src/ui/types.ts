// Request and response types of the web app's own operations: the signed-in user and the user's permissions.
import { z } from 'zod'
import { responseTime, storedText } from '../fields/fields.ts'

const email = storedText.min(3).max(320)
/** The server checks the password's length and reports a violation in a sentence. */
const password = storedText.max(1_024)
const token = storedText.max(200)

export const SignInRequest = z.object({ email, password })

/** If `password` is present, it becomes the user's password. */
export const RedeemLinkRequest = z.object({ token, password: password.optional() })

/** `current` is required when the user already has a password. */
export const ChangePasswordRequest = z.object({ current: password.optional(), password })

export const UserRole = z.enum(['OWNER', 'ADMIN', 'MEMBER', 'VIEWER', 'NONE'])

const SignedInUser = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  image: z.string().nullable(),
  /** False when the user signs in only by links or an identity provider. */
  hasPassword: z.boolean(),
})

export const Me = z.object({
  /** Tables that the web app can read in this installation; with both, the user chooses. */
  tables: z.array(z.enum(['new', 'old'])),
  user: SignedInUser,
  organizations: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      role: UserRole,
      /** Projects that the user may see. */
      projects: z.array(z.object({ id: z.string(), name: z.string(), role: UserRole, retentionDays: z.int() })),
    }),
  ),
  /** Time when the session ends even if the user is still active. */
  expiresAt: responseTime,
})

/** Options that the sign-in page offers. */
export const SignInOptions = z.object({
  /** Name of the identity provider; null when none is configured. */
  oidc: z.object({ name: z.string() }).nullable(),
})
