// Places of a project, in the order of the rail and of the palette.

export const ownPlaces = [{ id: 'observations', path: 'observations' }] as const
