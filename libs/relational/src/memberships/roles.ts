// Roles and their order (contract §19.2).

const roles = ['NONE', 'VIEWER', 'MEMBER', 'ADMIN', 'OWNER'] as const

/** NONE: belongs to it and may do nothing, unless a project gives a role of its own. */
export type Role = (typeof roles)[number]

/** NONE for a text that is no role. */
export const roleOf = (text: string): Role => roles.find(role => role === text) ?? 'NONE'

/** Whether `role` may do what `least` may. */
export const isAtLeast = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least)

/** A project's own role holds in place of the organization's. */
export const roleInProject = (inOrganization: string, inProject: string | null): Role => roleOf(inProject ?? inOrganization)
