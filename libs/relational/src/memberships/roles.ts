// Roles and their order (contract §19.2).

const roles = ['NONE', 'VIEWER', 'MEMBER', 'ADMIN', 'OWNER'] as const

/** A member with the role NONE has permissions only in projects that grant the member a role. */
export type Role = (typeof roles)[number]

/** NONE for an unknown role. */
export const roleOf = (text: string): Role => roles.find(role => role === text) ?? 'NONE'

/** True if `role` includes the permissions of `least`. */
export const isAtLeast = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least)

/** A role in the project replaces the role in the organization. */
export const roleInProject = (inOrganization: string, inProject: string | null): Role => roleOf(inProject ?? inOrganization)
