// A page that opens on a story, or at the desk, needs more than its start: that comes beside the program, and not after it.
// In the memory's worker there is no page.
if (self.document) {
  const parts = PARTS;
  const place = location.hash.split('/')[1] ?? '';
  // As the head of the page has found out already.
  const hasStories = document.documentElement.dataset.first === 'page';
  const first = place === 'story' ? parts.story : place !== '' ? parts.desk : hasStories ? parts.story : [];
  for (const name of first) {
    const link = document.createElement('link');
    Object.assign(link, { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous', href: chunk(name) });
    document.head.append(link);
  }
}
