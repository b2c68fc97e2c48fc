// The places of a project, in the order in which the rail and the palette show them.

export const ownPlaces = [
  { id: 'observations', path: 'observations' },
  { id: 'sessions', path: 'sessions' },
  { id: 'users', path: 'users' },
  { id: 'scores', path: 'scores' },
  { id: 'settings', path: 'settings' },
] as const
