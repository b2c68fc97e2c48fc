// The places of a project in the order of the rail and the palette.

export const ownPlaces = [
  { id: 'observations', path: 'observations' },
  { id: 'sessions', path: 'sessions' },
  { id: 'users', path: 'users' },
  { id: 'scores', path: 'scores' },
  { id: 'settings', path: 'settings' },
] as const
