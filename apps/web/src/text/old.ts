// Texts of the pages that read the tables of v3.

export const oldText = {
  tables: 'Tables',
  names: { new: 'New', old: 'Old' },
  help: 'Show the data of the new tables, or of the tables of v3. Only you see your choice.',
  title: 'Observations in the old tables',
  explains: 'Newest first, as v3 stored them. Filters, live rows and scores need the new tables.',
  empty: 'No observation in this range',
  more: 'Show older ones',
  needsNew: 'This page needs the new tables',
  switchHelp: 'Choose “New” in the bar at the top to see it.',
  waitHelp: 'This installation does not read the new tables yet.',
  noSearch: 'contents can be searched in the new tables only',
  columns: { time: 'Time', name: 'Name', model: 'Model', latency: 'Latency', tokens: 'Tokens', cost: 'Cost' },
  source: 'old tables',
} as const
