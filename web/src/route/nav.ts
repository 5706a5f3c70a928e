/** All views, in navigation order. `g` and then the key opens one. */
export const NAV = [
  { name: '', title: 'Overview', key: 'h', icon: 'M3 11.5 10 4l7 7.5M5 10v6h10v-6' },
  { name: 'insights', title: 'Insights', key: 'i', icon: 'M3 17V3M3 17h14M6 13l3-4 3 2 4-6' },
  { name: 'operations', title: 'Operations', key: 'o', icon: 'M3 5h14M3 10h14M3 15h9' },
  { name: 'start', title: 'Start', key: 't', icon: 'M6 4l10 6-10 6z' },
  {
    name: 'unknowns',
    title: 'Unknowns',
    key: 'u',
    icon: 'M7.5 7.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M10 14.5h.01M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14',
  },
  {
    name: 'workflows',
    title: 'Workflows',
    key: 'w',
    icon: 'M3 8h4v4H3zM13 3h4v4h-4zM13 13h4v4h-4zM7 10h3M10 5v10M10 5h3M10 15h3',
  },
  { name: 'groups', title: 'Groups', key: 'b', icon: 'M3 3h5v5H3zM12 3h5v5h-5zM3 12h5v5H3zM12 12h5v5h-5z' },
  {
    name: 'providers',
    title: 'Providers',
    key: 'p',
    icon: 'M4 4h12v5H4zM4 11h12v5H4zM7 6.5h.01M7 13.5h.01',
  },
  { name: 'proxy', title: 'Proxy', key: 'm', icon: 'M3 10h5M12 10h5M8 6h4v8H8zM15 8l2 2-2 2' },
  {
    name: 'runners',
    title: 'Runners',
    key: 'r',
    icon: 'M4 4h12v9H4zM8 16h4M10 13v3M8.5 6.5l4 2-4 2z',
  },
  {
    name: 'schedules',
    title: 'Schedules',
    key: 's',
    icon: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14M10 6.5V10l2.5 2',
  },
  {
    name: 'notices',
    title: 'Notices',
    key: 'n',
    icon: 'M5.5 13.5V9a4.5 4.5 0 0 1 9 0v4.5l1.5 1.5H4zM8.5 17h3',
  },
  {
    name: 'audit',
    title: 'Audit',
    key: 'a',
    icon: 'M6 3h8v14H6zM8.5 7h3M8.5 10h3M8.5 13h2',
  },
  { name: 'config', title: 'Config', key: 'c', icon: 'M4 6h7M15 6h1M4 14h1M9 14h7M13 4v4M7 12v4' },
] as const
