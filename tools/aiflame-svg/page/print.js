// SPDX-License-Identifier: MIT
// The page on paper: the picture with its title on a white ground. A picture of up to twice the
// height of a sheet is made smaller to fit; a higher one continues on the next sheet, and a sheet
// ends between two rows.
function addPrint(viewer) {
  "use strict";
  const {svg, shell, drawing} = viewer;
  const kAspect = 1.48;  // width by height of what is printed: fits A4 and Letter within the margins
  const kSmaller = 2;
  let sheets = null;
  shell.addStyle(`
    #sheets { display: none; }
    @media print {
      #page { background: #fff !important; min-height: 0 !important; display: block !important; }
      #page:not(.printing) > :not(#middle), #page:not(.printing) #panel { display: none !important; }
      #page.printing > :not(#sheets) { display: none !important; }
      #sheets { display: block; }
      .sheet { display: block; width: 100%; height: auto; break-after: page; break-inside: avoid;
        print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      .sheet:last-child { break-after: auto; }
    }`);
  // a foreign page is printed as it wants
  if (!shell.page.classList.contains("embedded"))
    shell.addStyle(`
      @page { size: landscape; margin: 10mm; }
      @media print { html, body { background: #fff !important; min-height: 0 !important; } }`);

  // The edges of the sheets, as places in the picture from top to bottom.
  function edgesOf(box) {
    const high = box.width / kAspect, row = drawing.rowHeight, bottom = box.y + box.height;
    if (box.height <= high * kSmaller) return [box.y, bottom];
    const between = drawing.place(0) - 0.5;  // one of the lines between rows
    const edges = [box.y];
    for (;;) {
      const last = edges[edges.length - 1];
      if (bottom - last <= high) break;
      const line = between + Math.floor((last + high - between) / row) * row;
      edges.push(line > last ? line : last + high);  // a row may be higher than a sheet
    }
    return [...edges, bottom];
  }

  function begin() {
    end();
    const picture = viewer.save.picture(true);
    const {x, y, width, height} = picture.viewBox.baseVal;
    const edges = edgesOf({y, width, height});
    sheets = shell.make("div", {id: "sheets"});
    const whole = document.createElementNS(svg.namespaceURI, "g");
    whole.id = "printed";
    whole.append(...picture.childNodes);
    for (let i = 0; i + 1 < edges.length; ++i) {
      const sheet = picture.cloneNode(false);
      const high = edges[i + 1] - edges[i], wide = Math.max(width, edges.length === 2 ? high * kAspect : 0);
      sheet.setAttribute("class", "sheet");
      sheet.setAttribute("viewBox", [x - (wide - width) / 2, edges[i], wide, high].join(" "));
      sheet.removeAttribute("width");
      sheet.removeAttribute("height");
      if (i === 0) {
        sheet.append(whole);
      } else {
        const use = document.createElementNS(svg.namespaceURI, "use");
        use.setAttribute("href", "#printed");
        sheet.append(use);
      }
      sheets.append(sheet);
    }
    shell.page.append(sheets);
    shell.page.classList.add("printing");
  }
  function end() {
    if (sheets) sheets.remove();
    sheets = null;
    shell.page.classList.remove("printing");
  }
  window.addEventListener("beforeprint", begin);
  window.addEventListener("afterprint", end);
}
