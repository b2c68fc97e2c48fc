// Roles and their order (contract §19.2).

const roles = ['NONE', 'VIEWER', 'MEMBER', 'ADMIN', 'OWNER'] as const

/** NONE is the role of a member without permissions, unless a project grants a role. */
export type Role = (typeof roles)[number]

/** NONE for an unknown role. */
export const roleOf = (text: string): Role => roles.find(role => role === text) ?? 'NONE'

/** Returns whether `role` includes the permissions of `least`. */
export const isAtLeast = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least)

/** A role in the project replaces the organization's role. */
export const roleInProject = (inOrganization: string, inProject: string | null): Role => roleOf(inProject ?? inOrganization)
