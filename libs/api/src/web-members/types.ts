// Request and response types of invitations and sign-in links.
import { z } from 'zod'
import { responseTime, storedText } from '../fields/fields.ts'
import { MembershipRole } from '../organizations/types.ts'

/** Only the browser knows the web app's address, so the web app builds the link's URL. */
export const SignInLink = z.object({ token: z.string(), expiresAt: responseTime }).meta({ id: 'SignInLink' })

export const InviteRequest = z.strictObject({
  email: storedText
    .max(320)
    .trim()
    .regex(/^\S+@\S+$/, 'Write an email address.'),
  name: storedText.max(200).optional(),
  role: MembershipRole,
})

/** If the person already has an account, the invitation only adds the role, and `link` is null. */
export const Invitation = z
  .object({ userId: z.string(), email: z.string(), role: MembershipRole, link: SignInLink.nullable() })
  .meta({ id: 'Invitation' })
