/**
 * Names by which those call themselves that fetch a link because it stands in a message or on a page. Clients of jobs
 * (curl, Wget, Python, Go and whatever else) are on lists of bots, too, and a job may well be called a bot: so only what
 * is known to look at links counts as one.
 */
const names = [
  ...['slackbot', 'slack-imgproxy', 'discordbot', 'telegrambot', 'whatsapp/', 'skypeuripreview', 'viber/'],
  ...['microsoftpreview', 'bingpreview', 'teamsbot', 'mattermost-bot', 'mattermost/', 'zulipurlpreview'],
  ...['facebookexternalhit', 'facebookcatalog', 'facebot', 'meta-externalagent', 'meta-externalfetcher'],
  ...[
    'twitterbot',
    'linkedinbot',
    'pinterestbot',
    'pinterest/0.',
    'redditbot',
    'tumblr/',
    'vkshare',
    'bluesky cardyb',
  ],
  ...[
    'googlebot',
    'google-inspectiontool',
    'googleother',
    'google-pagerenderer',
    'feedfetcher-google',
    'bingbot',
  ],
  ...[
    'applebot',
    'duckduckbot',
    'yandexbot',
    'yandex.com/bots',
    'baiduspider',
    'amazonbot',
    'bytespider',
    'petalbot',
  ],
  ...[
    'gptbot',
    'oai-searchbot',
    'chatgpt-user',
    'claudebot',
    'claude-user',
    'perplexitybot',
    'ccbot',
    'ahrefsbot',
  ],
  ...['semrushbot', 'embedly/', 'iframely/', 'quora link preview', 'flipboardproxy', 'snap url preview'],
  ...[
    'link preview',
    'linkpreview',
    'link-preview',
    'urlpreview',
    'url preview',
    'link expander',
    'ia_archiver',
  ],
] as const

/** Whether a user agent is one that looks at links: it is no job, and its visit of a ping URL no ping (semantics §7). */
export function isLinkPreview(userAgent: string): boolean {
  const told = userAgent.toLowerCase()
  return names.some((name) => told.includes(name))
}
