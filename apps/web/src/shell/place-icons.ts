// Icons in a square of 16 units.

export const placeIcons: Readonly<Record<string, string>> = {
  observations: 'M2 4h12 M2 8h12 M2 12h12',
  traces: 'M2 3.5h7 M5 8h8 M8 12.5h6 M3 3.5v9 M3 8h2 M3 12.5h5',
  sessions: 'M2.5 3h11v7.5h-6l-3 2.5v-2.5h-2z',
  users: 'M8 8a2.7 2.7 0 1 0 0-5.4a2.7 2.7 0 0 0 0 5.4z M2.8 13.5c.6-2.6 2.6-3.7 5.2-3.7s4.6 1.1 5.2 3.7',
  scores: 'M8 2.2l1.8 3.7l4 .6l-2.9 2.8l.7 4l-3.6-1.9l-3.6 1.9l.7-4l-2.9-2.8l4-.6z',
  settings: 'M2 5h7 M13 5h1 M2 11h1 M7 11h7 M11 3.2v3.6 M5 9.2v3.6',
  system: 'M2.5 3h11v4h-11z M2.5 9h11v4h-11z M5 5h.01 M5 11h.01',
}
