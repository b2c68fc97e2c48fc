// Types of the requests and responses with which the web app reads the signed-in user and the user's permissions.
import { z } from 'zod'
import { responseTime, storedText } from '../fields/fields.ts'

const email = storedText.min(3).max(320)
/**
 * This schema allows more characters than a password can have. The handler checks the exact limits, so that it can explain the error in a
 * sentence.
 */
const password = storedText.max(1_024)
const token = storedText.max(200)

export const SignInRequest = z.object({ email, password })

/** If `password` is present, it becomes the user's password. */
export const RedeemLinkRequest = z.object({ token, password: password.optional() })

/** `current` is required if the user has a password. */
export const ChangePasswordRequest = z.object({ current: password.optional(), password })

export const UserRole = z.enum(['OWNER', 'ADMIN', 'MEMBER', 'VIEWER', 'NONE'])

const SignedInUser = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  image: z.string().nullable(),
  /** False if the user can sign in only by links or by an identity provider. */
  hasPassword: z.boolean(),
})

export const Me = z.object({
  /**
   * The tables that the web app can read in this installation. If the web app can read both the new and the old tables, the user chooses
   * between them.
   */
  tables: z.array(z.enum(['new', 'old'])),
  user: SignedInUser,
  organizations: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      role: UserRole,
      /** Projects that the user is allowed to see. */
      projects: z.array(z.object({ id: z.string(), name: z.string(), role: UserRole, retentionDays: z.int() })),
    }),
  ),
  /** Time at which the session ends even if the user is still active. */
  expiresAt: responseTime,
})

/** The ways of signing in that the sign-in page offers. */
export const SignInOptions = z.object({
  /** Name of the identity provider, or null if none is configured. */
  oidc: z.object({ name: z.string() }).nullable(),
})
